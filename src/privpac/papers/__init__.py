"""AS PRINTED: the algorithms of the papers, line by line, with the corrections they need.

They exist to be run, compared and cited. Each departure from a printed line carries the number of an erratum. To learn
from data, use the learners: they give the same guarantees with far fewer records.
"""
