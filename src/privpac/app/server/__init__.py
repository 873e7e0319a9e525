"""The server: routes to pages, the guard in front of them, proxies, uploads, and the way into a browser.

A request passes the guard first, which decides who may ask and from where. Only then does it reach a page.
"""
