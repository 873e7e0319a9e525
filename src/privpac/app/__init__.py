"""The library in a browser: plan, learn, release, and see what was spent.

The server runs on one machine, for one person, or behind a proxy that knows its users. A page is a function from the
session and the values of a form to HTML. Markup is in ``templates/``, and style and script are in ``static/``.

Parts, each importing only from those below it:

    server      the application: which address shows which page, and who may ask
    pages       one file for each page, and the parts of forms that pages share
    spending    prices, offers, and a charge that happens once
    session     what a running server knows: secrets, tables, schemas, and accounts
    outcomes    what was asked and what came of it, in memory and on disk
    refusals    errors as sentences that name the fields of a page
    markup      the templates, with their filters
    forms       the fields of a form, and the values that a browser sends
"""
