"""The guard in front of every page: who may ask, from where, and what a browser may do with the answer.

A page that is open in the same browser can send requests to this machine, and its requests may carry our cookie. So a
request must name this server (Host), carry the cookie, and, if it changes something, come from one of our own pages:
the browser says so (Sec-Fetch-Site, Origin), and the form holds a token that other sites cannot read.
"""

from __future__ import annotations

from hmac import compare_digest
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from privpac.app.markup import render
from privpac.app.server.proxy import NotAllowed, Proxy
from privpac.app.session import Session
from privpac.privacy.store.database import StoreError

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",  # without a referrer, browsers would send Origin: null
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SESSION = "privpac.session"  # the key for the session in the scope of a request that the guard lets through
READING, CHANGING = ("GET", "HEAD"), ("POST",)


def cookie_name(port: int) -> str:
    """The cookie of the server at a port.

    >>> cookie_name(8765)
    'privpac-8765'
    """
    return f"privpac-{port}"


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: Any, session: Session, proxy: Proxy | None = None) -> None:
        self.app, self.session, self.proxy = app, session, proxy
        self.hosts = session.hosts if proxy is None else (proxy.host,)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                present = {name for name, _ in message["headers"]}
                ours = [(name.lower().encode(), text.encode()) for name, text in HEADERS.items()]
                missing = [(name, text) for name, text in ours if name not in present]
                message["headers"] = [*message["headers"], *missing]
            await send(message)

        request = Request(scope)
        answer = self.refusal(request) or await self._entry_refusal(request) or self.app
        await answer(scope, receive, send_with_headers)

    def refusal(self, request: Request) -> Response | None:
        """Why this request is refused whoever sends it; None if that depends on the sender."""
        host = request.headers.get("host", "")
        if len(request.headers.getlist("host")) != 1 or host not in self.hosts:
            return _plain_refusal(421, f"this server is called {self.hosts[0]}; open the address that it printed")
        if request.method not in READING + CHANGING:
            return _plain_refusal(405, "only GET and POST are answered here")
        return None if request.method in READING else self._origin_refusal(request)

    async def _entry_refusal(self, request: Request) -> Response | None:
        """Why the sender may not enter; None if the sender may, and then the request holds the sender's session."""
        if self.proxy is None:
            request.scope[SESSION] = self.session
            return self._key_refusal(request)
        try:
            request.scope[SESSION] = await run_in_threadpool(self.proxy.session, self.session, request.headers.items())
        except NotAllowed as error:
            return _plain_refusal(403, str(error))
        except StoreError:
            return _plain_refusal(503, "the accounts cannot be read now; nothing was done")
        return None

    def _key_refusal(self, request: Request) -> Response | None:
        """The same without a proxy: a request needs the cookie, which the key is exchanged for."""
        key, session = request.query_params.get("key"), self.session
        if key is not None and request.method == "GET" and compare_digest(key.encode(), session.key.encode()):
            return self._welcome(request)
        cookie = request.cookies.get(cookie_name(session.port), "")
        if not compare_digest(cookie.encode(), session.cookie.encode()):
            return _plain_refusal(403, "open the address with the key that `privpac explore` printed when it started")
        return None

    def _welcome(self, request: Request) -> Response:
        """The key is exchanged for a cookie, and leaves the address bar.

        If the visit began on another site or in a file, browsers would not send the cookie after a redirect. Then the
        answer is a page of our own that leads on.
        """
        from_elsewhere = request.headers.get("sec-fetch-site") == "cross-site"
        page = render("enter.html", title="privpac", address="/", link="Enter")
        answer = HTMLResponse(page) if from_elsewhere else RedirectResponse("/", status_code=303)
        answer.set_cookie(
            cookie_name(self.session.port), self.session.cookie, httponly=True, samesite="strict", path="/"
        )
        return answer

    def _origin_refusal(self, request: Request) -> Response | None:
        """Why a request that would change something does not come from one of our pages."""
        if request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return _plain_refusal(403, "the request came from another site; nothing was done")
        ours = f"http://{request.headers['host']}" if self.proxy is None else self.proxy.address
        if request.headers.get("origin") != ours:
            return _plain_refusal(403, "the request did not come from a page of this server; nothing was done")
        return None


def _plain_refusal(status: int, reason: str) -> Response:
    return PlainTextResponse(f"{reason[0].upper()}{reason[1:]}.\n", status_code=status)
