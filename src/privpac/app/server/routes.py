"""The server: which address shows which page, how forms and uploads arrive, and what an unforeseen failure says.

Pages are functions from the session and the fields of a request to an answer. They run in threads, so a page that
computes does not stop another one.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Awaitable, Callable
from html import escape
from importlib.resources import files
from urllib.parse import parse_qsl, unquote, urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from privpac.app.markup import page_frame, warning
from privpac.app.pages.broken_paper import broken_page
from privpac.app.pages.budgets import budgets_page
from privpac.app.pages.classes import classes_page
from privpac.app.pages.home import home_page
from privpac.app.pages.learn import LEARN, model_file
from privpac.app.pages.neighbors import neighbors_page
from privpac.app.pages.plan import plan_page
from privpac.app.pages.release import RELEASE, release_files
from privpac.app.refusals import EXPECTED, for_the_page
from privpac.app.server.guard import SESSION, Guard
from privpac.app.server.proxy import Proxy
from privpac.app.server.uploads import FormPart, form_parts
from privpac.app.session import MOST, Session
from privpac.refusals.refusal import Refused
from privpac.report.pictures.shapes import FONT, STYLES

Fields = dict[str, str]
PageView = Callable[[Session, Fields], Response | str]

LONGEST_FORM = 10**5  # bytes
LONGEST_NAME = 100  # characters of the name of a file
UPLOADING = ("/learn", "/release")  # pages that take files
OF_A_SPEND = ("token", "round", "anew")  # fields that the preview makes itself
NO_FILE = FormPart(b"")
TOO_LARGE = "The file is larger than 20 MB; name it when you start the server: privpac explore FILE"
GRACE = 2  # seconds that a page at work gets when the server stops
PAGES: dict[str, PageView] = {
    "/": home_page,
    "/plan": plan_page,
    "/budgets": budgets_page,
    "/classes": classes_page,
    "/neighbors": neighbors_page,
    "/broken": broken_page,
    "/learn": LEARN.shown,
    "/learn/released": LEARN.result,
    "/learn/report.html": LEARN.report,
    "/learn/model.json": model_file,
    "/release": RELEASE.shown,
    "/release/released": RELEASE.result,
    "/release/report.html": RELEASE.report,
    **release_files,
}
ACTIONS: dict[str, PageView] = {"/learn/spend": LEARN.spend, "/release/spend": RELEASE.spend}
ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1d5fa6"/>'
    '<path d="M6 22h10V10h10" fill="none" stroke="#fff" stroke-width="4"/></svg>'
)


def application(session: Session, proxy: Proxy | None = None) -> Starlette:
    """The explorer as an ASGI application, behind its guard; behind a ``proxy``, for several users."""
    style = _style()
    script = files("privpac.app").joinpath("explorer.js").read_text("utf-8")
    fixed = {
        "/explorer.css": (style, "text/css"),
        "/explorer.js": (script, "text/javascript"),
        "/icon.svg": (ICON, "image/svg+xml"),
    }
    routes = [
        *(Route(place, _fixed(*each)) for place, each in fixed.items()),
        *(Route(place, _shown(view)) for place, view in PAGES.items()),
        *(Route(place, _done(view, place), methods=["POST"]) for place, view in ACTIONS.items()),
        Route("/upload", _uploaded, methods=["POST"]),
        Route("/upload/form", _sent_by_form, methods=["POST"]),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, session=session, proxy=proxy)],
        exception_handlers={404: _missing, 405: _missing},
    )


def serve(session: Session, place: socket.socket, proxy: Proxy | None = None) -> None:
    """Answer requests that arrive at an open socket, until interrupted."""
    config = uvicorn.Config(
        application(session, proxy),
        log_level="warning",
        ws="none",
        lifespan="off",
        access_log=False,  # addresses of pages hold what people ask
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
    )
    uvicorn.Server(config).run(sockets=[place])


def _style() -> str:
    """The style of reports, of pictures, and of the explorer, as one sheet."""
    pictures = (f".{kind} text {{ font: 14px {FONT}; fill: var(--ink) }}{rules}" for kind, rules in STYLES.items())
    report = files("privpac.report").joinpath("page.css").read_text("utf-8")
    return "\n".join([report, *pictures, files("privpac.app").joinpath("explorer.css").read_text("utf-8")])


def _fixed(text: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return Response(text, media_type=kind)

    return answer


def _shown(view: PageView) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return await run_in_threadpool(_answered, view, request.scope[SESSION], dict(request.query_params))

    return answer


def _done(view: PageView, place: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        session: Session = request.scope[SESSION]
        content = await _body(request, LONGEST_FORM)
        if content is None:
            return PlainTextResponse("The form is too long; nothing was done.\n", status_code=413)
        fields = dict(parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True))
        if not session.sent_by_us(fields.pop("form_token", "")):
            return _stale()
        return await run_in_threadpool(_answered, view, session, fields, place.rpartition("/")[0])

    return answer


async def _uploaded(request: Request) -> Response:
    """A table arrives as the body of a request, and stays in memory."""
    session: Session = request.scope[SESSION]
    if not session.sent_by_us(request.headers.get("x-form-token", "")):
        return _stale()
    if (content := await _body(request, MOST)) is None:
        return PlainTextResponse(TOO_LARGE, status_code=413)
    try:
        said = unquote(request.headers.get("x-file-name", ""))
        number = await run_in_threadpool(session.keep, content, said[-LONGEST_NAME:])
    except EXPECTED as error:
        return PlainTextResponse(for_the_page(error), status_code=400)
    except Exception as error:  # whose words may be about a record
        return PlainTextResponse(f"The file cannot be read ({_noted(error)}).", status_code=500)
    return JSONResponse({"source": number, "name": session.sources[number]})


async def _sent_by_form(request: Request) -> Response:
    """The same from a browser without JavaScript: the file is a part of a form, and a page comes back."""
    session: Session = request.scope[SESSION]
    if (content := await _body(request, MOST + LONGEST_FORM)) is None:
        return PlainTextResponse(TOO_LARGE, status_code=413)
    parts = form_parts(request.headers.get("content-type", ""), content)
    if not session.sent_by_us(parts["form_token"].text if "form_token" in parts else ""):
        return _stale()
    page = parts["page"].text if "page" in parts and parts["page"].text in UPLOADING else UPLOADING[0]

    def kept(_: Session, __: Fields) -> Response:
        file = parts.get("upload", NO_FILE)
        if not file.file:
            raise Refused("source", "choose a file first")
        number = session.keep(file.content, file.file[-LONGEST_NAME:])
        return RedirectResponse(f"{page}?source={number}", status_code=303)

    return await run_in_threadpool(_answered, kept, session, {})


async def _body(request: Request, most: int) -> bytes | None:
    """The body of a request; None if it has more than ``most`` bytes, which are then not read."""
    said = request.headers.get("content-length", "0")
    if not said.isdecimal() or int(said) > most:
        return None
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > most:
            return None
    return bytes(content)


def _stale() -> Response:
    return PlainTextResponse(
        "The form is not one of this server, or the server was started anew; load the page again. Nothing was done.\n",
        status_code=403,
    )


def _answered(view: PageView, session: Session, fields: Fields, back: str = "") -> Response:
    """The page; an unforeseen failure is a sentence that quotes nothing, because it may be about a record.

    A refusal has a way ``back`` to the form, as it was filled in.
    """
    try:
        made = view(session, fields)
    except EXPECTED as error:
        if not isinstance(error, Refused) and not isinstance(error, OSError | ImportError | RuntimeError):
            return _failed(session, error)
        told = warning(for_the_page(error)) + (_way_back(back, fields) if back else "")
        page = page_frame("Refused", "", told, back, mode=session.mode)
        return HTMLResponse(page, status_code=400)
    except Exception as error:
        return _failed(session, error)
    return made if isinstance(made, Response) else HTMLResponse(made)


def _way_back(place: str, fields: Fields) -> str:
    asked = urlencode({name: text for name, text in fields.items() if name not in OF_A_SPEND})
    return f'<p><a href="{escape(f"{place}?{asked}")}">Look at the preview again</a></p>'


def _noted(error: Exception) -> str:
    """The kind of an unforeseen failure, which whoever started the server is told, too."""
    kind = type(error).__name__
    print(f"privpac explore: a page failed with {kind}", file=sys.stderr)
    return kind


def _failed(session: Session, error: Exception) -> Response:
    told = f"The page failed ({_noted(error)}). “Budgets” shows whether anything was charged."
    return HTMLResponse(page_frame("Failed", "", warning(told), mode=session.mode), status_code=500)


async def _missing(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    return HTMLResponse(page_frame("Not here", "", "<p>There is no such page.</p>"), status_code=status)
