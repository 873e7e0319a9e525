"""The server: the guard that a request passes first, routes to pages, proxies, uploads, and the way into a browser."""
