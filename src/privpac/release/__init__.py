"""ALL QUERIES AT ONCE: how many records satisfy each rule of a class, from one private release.

Main declarations
    PrivateRelease    fits a release of a class or a schema; answers, certifies, draws synthetic records
    Release           the same as self-contained data; converts to and from JSON
    certified         measures answers that were made elsewhere
"""

from privpac.release.given_answers import certified
from privpac.release.private_release import PrivateRelease
from privpac.release.released import Release

__all__ = ["PrivateRelease", "Release", "certified"]
