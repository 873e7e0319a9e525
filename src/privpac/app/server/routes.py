"""The server: which address shows which page, how forms and uploads arrive, and what an unforeseen failure says.

Pages are functions from the session and the fields of a request to an answer. They run in threads, so a page that
computes does not stop another one.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Awaitable, Callable
from importlib.resources import files
from urllib.parse import parse_qsl, unquote, urlencode

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from privpac.app.forms import FormValues
from privpac.app.markup import render
from privpac.app.pages.broken_paper import broken_page
from privpac.app.pages.budgets import budgets_page
from privpac.app.pages.classes import classes_page
from privpac.app.pages.home import home_page
from privpac.app.pages.learn import LEARN, model_file
from privpac.app.pages.neighbors import neighbors_page
from privpac.app.pages.plan import plan_page
from privpac.app.pages.release import RELEASE, RELEASE_FILES
from privpac.app.refusals import EXPECTED, page_sentence
from privpac.app.server.guard import SESSION, Guard
from privpac.app.server.proxy import Proxy
from privpac.app.server.uploads import FormPart, form_parts
from privpac.app.session import MOST_BYTES, Session
from privpac.refusals.refusal import Refused
from privpac.report.pictures.shapes import FONT, STYLES

PageView = Callable[[Session, FormValues], Response | str]

LONGEST_FORM = 10**5  # bytes
LONGEST_NAME = 100  # characters of the name of a file
UPLOADING = ("/learn", "/release")  # pages that take files
SPEND_FIELDS = ("token", "round", "anew")  # fields that the preview makes itself
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
    **RELEASE_FILES,
}
ACTIONS: dict[str, PageView] = {"/learn/spend": LEARN.spend, "/release/spend": RELEASE.spend}


def application(session: Session, proxy: Proxy | None = None) -> Starlette:
    """The explorer as an ASGI application, behind its guard; behind a ``proxy``, for several users."""
    routes = [
        Route("/explorer.css", _fixed(_style_sheet(), "text/css")),
        Route("/explorer.js", _fixed(_static("explorer.js"), "text/javascript")),
        Route("/icon.svg", _fixed(_static("icon.svg"), "image/svg+xml")),
        *(Route(place, _page(view)) for place, view in PAGES.items()),
        *(Route(place, _action(view, place), methods=["POST"]) for place, view in ACTIONS.items()),
        Route("/upload", _upload, methods=["POST"]),
        Route("/upload/form", _upload_form, methods=["POST"]),
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


def _static(name: str) -> str:
    return files("privpac.app").joinpath("static", name).read_text("utf-8")


def _style_sheet() -> str:
    """The style of reports, of pictures, and of the explorer, as one sheet."""
    pictures = (f".{kind} text {{ font: 14px {FONT}; fill: var(--ink) }}{rules}" for kind, rules in STYLES.items())
    report = files("privpac.report").joinpath("page.css").read_text("utf-8")
    return "\n".join([report, *pictures, _static("explorer.css")])


def _fixed(text: str, kind: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return Response(text, media_type=kind)

    return answer


def _page(view: PageView) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        return await run_in_threadpool(_response, view, request.scope[SESSION], dict(request.query_params))

    return answer


def _action(view: PageView, place: str) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        session: Session = request.scope[SESSION]
        content = await _body(request, LONGEST_FORM)
        if content is None:
            return PlainTextResponse("The form is too long; nothing was done.\n", status_code=413)
        values = dict(parse_qsl(content.decode("utf-8", "replace"), keep_blank_values=True))
        if not session.sent_by_us(values.pop("form_token", "")):
            return _stale()
        return await run_in_threadpool(_response, view, session, values, place.rpartition("/")[0])

    return answer


async def _upload(request: Request) -> Response:
    """A table arrives as the body of a request, and stays in memory."""
    session: Session = request.scope[SESSION]
    if not session.sent_by_us(request.headers.get("x-form-token", "")):
        return _stale()
    if (content := await _body(request, MOST_BYTES)) is None:
        return PlainTextResponse(TOO_LARGE, status_code=413)
    try:
        name = unquote(request.headers.get("x-file-name", ""))
        number = await run_in_threadpool(session.add_upload, content, name[-LONGEST_NAME:])
    except EXPECTED as error:
        return PlainTextResponse(page_sentence(error), status_code=400)
    except Exception as error:  # its text may be about a record
        return PlainTextResponse(f"The file cannot be read ({_noted(error)}).", status_code=500)
    return JSONResponse({"source": number, "name": session.sources[number]})


async def _upload_form(request: Request) -> Response:
    """The same from a browser without JavaScript: the file is a part of a form, and a page comes back."""
    session: Session = request.scope[SESSION]
    if (content := await _body(request, MOST_BYTES + LONGEST_FORM)) is None:
        return PlainTextResponse(TOO_LARGE, status_code=413)
    parts = form_parts(request.headers.get("content-type", ""), content)
    if not session.sent_by_us(parts["form_token"].text if "form_token" in parts else ""):
        return _stale()
    page = parts["page"].text if "page" in parts and parts["page"].text in UPLOADING else UPLOADING[0]

    def added(_: Session, __: FormValues) -> Response:
        file = parts.get("upload", NO_FILE)
        if not file.file:
            raise Refused("source", "choose a file first")
        number = session.add_upload(file.content, file.file[-LONGEST_NAME:])
        return RedirectResponse(f"{page}?source={number}", status_code=303)

    return await run_in_threadpool(_response, added, session, {})


async def _body(request: Request, most: int) -> bytes | None:
    """The body of a request; None if it has more than ``most`` bytes, which are then not read."""
    length = request.headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > most:
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


def _response(view: PageView, session: Session, values: FormValues, form: str = "") -> Response:
    """The page; an unforeseen failure is a sentence that quotes nothing, because it may be about a record.

    A refusal has a way back to the ``form``, as it was filled in.
    """
    try:
        page = view(session, values)
    except EXPECTED as error:
        if not isinstance(error, Refused | OSError | ImportError | RuntimeError):
            return _failure(session, error)
        way_back = f"{form}?{urlencode({k: v for k, v in values.items() if k not in SPEND_FIELDS})}" if form else ""
        return _message(400, "Refused", sentence=page_sentence(error), mode=session.mode, here=form, back=way_back)
    except Exception as error:
        return _failure(session, error)
    return page if isinstance(page, Response) else HTMLResponse(page)


def _failure(session: Session, error: Exception) -> Response:
    sentence = f"The page failed ({_noted(error)}). “Budgets” shows whether anything was charged."
    return _message(500, "Failed", sentence=sentence, mode=session.mode)


def _noted(error: Exception) -> str:
    """The kind of an unforeseen failure, which whoever started the server is told, too."""
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
