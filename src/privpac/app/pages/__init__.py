"""The pages. Each has a function that computes values, and a template that shows them.

Learning and releasing are priced pages: a form, a preview that costs nothing, a charge, and what was released. They
describe their records and classes with the fields of ``priced_page`` and ``class_form``.
"""
