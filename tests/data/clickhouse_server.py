"""The engine of ClickHouse behind its HTTP interface, as far as Ibis uses that: the engine is chDB's, in this process.

Run as a program with a port, it prints a line when it answers. A session is a connection of chDB's with settings and
temporary tables of its own; tables that come with a query are temporary tables for as long as it runs.
"""

import sys
from contextlib import ExitStack
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import chain
from tempfile import NamedTemporaryFile
from threading import Lock
from urllib.parse import parse_qsl, urlsplit

TRANSPORT = {  # what the client tells the server rather than the engine
    *("query", "database", "session_id", "query_id", "wait_end_of_query", "client_protocol_version", "default_format"),
    *("send_progress_in_http_headers", "http_headers_progress_interval_ms", "enable_http_compression"),
}
SESSIONS, LOCK = {}, Lock()


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        self._say(200, [b"Ok.\n"])

    def do_POST(self):
        given = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = self.headers.get("Content-Type", "")
        parts = _parts(kind, body) if kind.startswith("multipart/") else {}
        sql = parts.pop("query", body if not parts else b"").decode() or given["query"]
        with LOCK, ExitStack() as stack:
            session = given.get("session_id")
            if session not in SESSIONS:
                import chdb  # noqa: PLC0415

                SESSIONS[session] = chdb.connect(":memory:")
            connection = SESSIONS[session]
            try:
                for name, value in given.items():
                    if name not in TRANSPORT and name.rpartition("_")[0] not in parts:
                        connection.query(f"SET {name} = '{value}'")
                        stack.callback(connection.query, f"SET {name} = DEFAULT")
                for name, content in parts.items():
                    _sent(stack, connection, name, content, given)
                chunks = _answer(connection, sql)
                first = next(chunks, b"")
            except Exception as error:
                self._say(500, [str(error).encode()])
            else:
                self._say(200, chain([first], chunks))

    def _say(self, status, chunks):
        """The answer, a chunk at a time; if the engine fails in the middle, the connection ends there."""
        self.send_response(status)
        self.send_header("X-ClickHouse-Timezone", "UTC")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            for chunk in filter(None, chunks):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.write(b"0\r\n\r\n")
        except Exception:
            self.close_connection = True

    def log_message(self, *_):
        """Nothing is printed."""


def _answer(connection, sql):
    """What the engine returns, in parts where it can: of a query, and in a format without a frame around all rows."""
    if sql.lstrip().upper().startswith(("SELECT", "WITH")) and sql.rstrip().endswith("FORMAT Native"):
        yield from (each.bytes() for each in connection.send_query(sql, "Native"))
    else:
        yield connection.query(sql, "TabSeparated").bytes()


def _parts(kind, body):
    """The fields of a form, by their names."""
    form = message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
    return {
        each.get_param("name", header="content-disposition"): each.get_payload(decode=True)
        for each in form.get_payload()
    }


def _sent(stack, connection, name, content, given):
    """A table that comes with a query."""
    with NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        described = f"'{file.name}', '{given[f'{name}_format']}', '{given[f'{name}_structure']}'"
        connection.query(f"CREATE TEMPORARY TABLE {name} ENGINE = Memory AS SELECT * FROM file({described})")
    stack.callback(connection.query, f"DROP TEMPORARY TABLE {name}")


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answers)
    print(server.server_address, flush=True)
    server.serve_forever()
