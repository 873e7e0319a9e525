"""The server: the pages and their addresses, how forms and uploads arrive, and the answer to an unexpected failure.

A page is a function of the session and the fields of a request. Pages run in threads, so a page that computes for long
does not hold up the others.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from privpac.app.forms import FormValues
from privpac.app.markup import render
from privpac.app.pages.budgets import budgets_page
from privpac.app.pages.home import home_page
from privpac.app.pages.learn import LEARN
from privpac.app.pages.papers import PAPERS
from privpac.app.pages.plan import plan_page
from privpac.app.pages.priced_page import PageView, PricedPage
from privpac.app.pages.release import RELEASE
from privpac.app.pages.suggest import SUGGEST
from privpac.app.pages.summarize import SUMMARIZE
from privpac.app.pages.theory.broken_paper import broken_page
from privpac.app.pages.theory.classes import classes_page
from privpac.app.pages.theory.neighbors import neighbors_page
from privpac.app.refusals import page_sentence
from privpac.app.server.guard import SESSION, Guard
from privpac.app.server.proxy import Proxy
from privpac.app.server.uploads import FormPart, form_parts
from privpac.app.session import MOST_BYTES, Session
from privpac.privacy.ledger import BudgetExceeded
from privpac.refusals.refusal import Refusal, Refused
from privpac.report.pictures.shapes import FONT, STYLES

Endpoint = Callable[[Request], Awaitable[Response]]
EXPLAINED = (Refusal, BudgetExceeded, ImportError, OSError)  # errors whose messages never quote a record
LONGEST_FORM = 10**5  # bytes
LONGEST_NAME = 100  # characters of the name of a file
# Fields that a preview adds: the token of the question, how often it was released before, and "release it anew".
SPEND_FIELDS = ("token", "round", "anew")
EMPTY = FormPart(b"")
STALE = "The form is not from this server, or the server was restarted; load the page again. Nothing was done.\n"
TOO_LONG = "The form is too long; nothing was done.\n"
TOO_LARGE = "The file is larger than 20 MB; name it when you start the server: privpac explore FILE"
GRACE = 2  # seconds to finish a page when the server stops
PRICED_PAGES: tuple[PricedPage[Any], ...] = (LEARN, SUMMARIZE, RELEASE, SUGGEST, PAPERS)
UPLOAD_PAGES = [f"/{page.kind}" for page in PRICED_PAGES]  # pages that take files; the first is the default
PAGES: dict[str, PageView] = {
    "/": home_page,
    "/plan": plan_page,
    "/budgets": budgets_page,
    "/classes": classes_page,
    "/neighbors": neighbors_page,
    "/broken": broken_page,
    **{place: view for page in PRICED_PAGES for place, view in page.views.items()},
}
ACTIONS: dict[str, PageView] = {f"/{page.kind}/spend": page.spend for page in PRICED_PAGES}


def application(session: Session, proxy: Proxy | None = None) -> Starlette:
    """The explorer as an ASGI application, behind its guard. A ``proxy`` in front of it lets several users in."""
    routes = [
        Route("/explorer.css", _constant(_style_sheet(), "text/css")),
        Route("/explorer.js", _constant(_static("explorer.js"), "text/javascript")),
        Route("/icon.svg", _constant(_static("icon.svg"), "image/svg+xml")),
        *(Route(place, _page(view)) for place, view in PAGES.items()),
        *(Route(place, _action(view, place), methods=["POST"]) for place, view in ACTIONS.items()),
        Route("/upload", _upload, methods=["POST"]),
        Route("/upload/form", _upload_form, methods=["POST"]),
    ]
    guard = Middleware(Guard, session=session, proxy=proxy)
    return Starlette(routes=routes, middleware=[guard], exception_handlers={404: _missing, 405: _missing})


def serve(session: Session, listener: socket.socket, proxy: Proxy | None = None) -> None:
    """Answer requests that arrive at an open socket, until interrupted."""
    config = uvicorn.Config(
        application(session, proxy),
        log_level="warning",
        ws="none",
        lifespan="off",
        access_log=False,  # the addresses of pages contain what people ask
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _static(name: str) -> str:
    return files("privpac.app").joinpath("static", name).read_text("utf-8")


def _style_sheet() -> str:
    """The style of reports, of pictures, and of the explorer, as one sheet."""
    pictures = (f".{kind} text {{ font: 14px {FONT}; fill: var(--ink) }}{rules}" for kind, rules in STYLES.items())
    report = files("privpac.report").joinpath("page.css").read_text("utf-8")
    return "\n".join([report, *pictures, _static("explorer.css")])


def _constant(text: str, kind: str) -> Endpoint:
    async def answer(request: Request) -> Response:
        return Response(text, media_type=kind)

    return answer


def _page(view: PageView) -> Endpoint:
    async def answer(request: Request) -> Response:
        return await run_in_threadpool(_response, view, request.scope[SESSION], dict(request.query_params))

    return answer


def _action(view: PageView, place: str) -> Endpoint:
    async def answer(request: Request) -> Response:
        session: Session = request.scope[SESSION]
        content = await _body(request, LONGEST_FORM, TOO_LONG)
        values = dict(parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True))
        _check_form_token(session, values.pop("form_token", ""))
        return await run_in_threadpool(_response, view, session, values, place.rpartition("/")[0])

    return answer


async def _upload(request: Request) -> Response:
    """Take a table that arrives as the body of a request. It stays in memory."""
    session: Session = request.scope[SESSION]
    _check_form_token(session, request.headers.get("x-form-token", ""))
    content = await _body(request, MOST_BYTES, TOO_LARGE)
    try:
        name = unquote(request.headers.get("x-file-name", ""))
        identifier = await run_in_threadpool(session.add_upload, content, name[-LONGEST_NAME:])
    except EXPLAINED as error:
        return PlainTextResponse(page_sentence(error), status_code=400)
    except Exception as error:  # The error's own message may quote a record.
        return PlainTextResponse(f"The file cannot be read ({_logged_kind(error)}).", status_code=500)
    return JSONResponse({"source": identifier, "name": session.sources[identifier]})


async def _upload_form(request: Request) -> Response:
    """Take a table from a browser without JavaScript: the file is a part of a form, and the answer is a page."""
    session: Session = request.scope[SESSION]
    content = await _body(request, MOST_BYTES + LONGEST_FORM, TOO_LARGE)
    parts = form_parts(request.headers.get("content-type", ""), content)
    _check_form_token(session, parts.get("form_token", EMPTY).text)
    page, file = parts.get("page", EMPTY).text, parts.get("upload", EMPTY)
    place = page if page in UPLOAD_PAGES else UPLOAD_PAGES[0]

    def table_page(session: Session, _: FormValues) -> Response:
        if not file.file_name:
            raise Refused("source", "choose a file first")
        identifier = session.add_upload(file.content, file.file_name[-LONGEST_NAME:])
        return RedirectResponse(f"{place}?source={identifier}", status_code=303)

    return await run_in_threadpool(_response, table_page, session, {})


async def _body(request: Request, most: int, refusal: str) -> bytes:
    """The body of a request. With more than ``most`` bytes, it is not read to its end but met with ``refusal``."""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > most:
        raise HTTPException(413, refusal)
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > most:
            raise HTTPException(413, refusal)
    return bytes(content)


def _check_form_token(session: Session, token: str) -> None:
    if not session.sent_by_us(token):
        raise HTTPException(403, STALE)


def _response(view: PageView, session: Session, values: FormValues, form: str = "") -> Response:
    """The page that ``view`` makes, or a page that says why there is none.

    It explains a refusal, with a way back to the ``form`` as it was filled in. For any other error, it names only the
    kind, because the message may quote a record.
    """
    try:
        page = view(session, values)
    except EXPLAINED as error:
        way_back = f"{form}?{urlencode({k: v for k, v in values.items() if k not in SPEND_FIELDS})}" if form else ""
        return _message(400, "Refused", sentence=page_sentence(error), mode=session.mode, here=form, back=way_back)
    except Exception as error:
        sentence = f"The page failed ({_logged_kind(error)}). “Budgets” shows whether anything was charged."
        return _message(500, "Failed", sentence=sentence, mode=session.mode)
    return page if isinstance(page, Response) else HTMLResponse(page)


def _logged_kind(error: Exception) -> str:
    """The kind of an unexpected error, which also goes to the server's own terminal."""
    kind = type(error).__name__
    print(f"privpac explore: a page failed with {kind}", file=sys.stderr)
    return kind


async def _missing(request: Request, error: Exception) -> Response:
    return _message(getattr(error, "status_code", 404), "Not here")


def _message(
    status: int, title: str, *, sentence: str = "", mode: str = "", here: str = "", back: str = ""
) -> Response:
    page = render("message.html", title=title, sentence=sentence, mode=mode, here=here, way_back=back)
    return HTMLResponse(page, status_code=status)
