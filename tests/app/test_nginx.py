"""The guide's configuration of nginx, word by word: who is let in under which name, and what nginx writes to disk."""

import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from privpac.app.server.proxy import KEY_HEADER, proxy_from_options
from privpac.privacy.budget import Budget
from privpac.privacy.store.accounts import BudgetStore
from tests.app.conftest import as_read, running
from tests.app.pages.test_learn import ASKED

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
TOOLS = NGINX and shutil.which("openssl") and shutil.which("curl")
pytestmark = pytest.mark.skipif(
    not TOOLS, reason="NOT RUN: install Debian's packages nginx, openssl, and curl to test the guide's proxy"
)
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "explorer.md"
HOST = "explorer.clinic.example"
WHOLE = """pid {folder}/pid; error_log {folder}/errors warn; worker_processes 1; events {{ }}
http {{ client_body_temp_path {folder}/body; proxy_temp_path {folder}/answers; fastcgi_temp_path {folder}/f;
uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; include {folder}/explorer.conf; }}
"""


def free_port() -> int:
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


def answers(port: int) -> bool:
    with socket.socket() as place:
        return place.connect_ex(("127.0.0.1", port)) == 0


def made(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


class Nginx:
    """nginx with the configuration of the guide, in a folder of its own and at another port."""

    def __init__(self, folder: Path, port: int, buffered: bool = False) -> None:
        self.folder, self.port = folder, free_port()
        said = re.search("```nginx\n(.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)[1]
        for theirs, ours in (
            ("443 ssl", f"127.0.0.1:{self.port} ssl"),
            ("127.0.0.1:8765", f"127.0.0.1:{port}"),
            ("/etc/ssl/certs/explorer.pem", f"{folder}/explorer.pem"),
            ("/etc/ssl/private/explorer.key", f"{folder}/private.key"),
            ("/etc/nginx/", f"{folder}/"),
        ):
            assert theirs in said
            said = said.replace(theirs, ours)
        if buffered:
            said = re.sub("proxy_request_buffering .*", "", said)
        (folder / "explorer.conf").write_text(said)
        (folder / "nginx.conf").write_text(WHOLE.format(folder=folder))
        who = "user root;" * (os.geteuid() == 0)  # otherwise workers could not read a folder of root's tests
        words = [NGINX, "-e", f"{folder}/errors", "-c", f"{folder}/nginx.conf", "-g", f"daemon off;{who}"]
        self.process = subprocess.Popen(words)
        while not answers(self.port):
            assert self.process.poll() is None, (folder / "errors").read_text()
            time.sleep(0.02)

    def get(self, path: str, *more: str, user: str = "ann") -> tuple[int, str]:
        """What a browser gets that asks for the page, and the status."""
        said = [
            "curl",
            "-sk",
            "--noproxy",
            "*",
            "--connect-to",
            f"{HOST}:443:127.0.0.1:{self.port}",
            "-w",
            "\n%{http_code}",
        ]
        named = ["-u", f"{user}:secret"] if user else []
        text, _, status = made(*said, *named, *more, f"https://{HOST}{path}").rpartition("\n")
        return int(status), text

    def upload(self, content: Path) -> int:
        token = re.search('name="form_token" value="([^"]*)"', self.get("/learn")[1])[1]
        headers = [f"Origin: https://{HOST}", f"X-Form-Token: {token}", "X-File-Name: mine.csv"]
        sent = [word for each in headers for word in ("-H", each)]
        return self.get("/upload", *sent, "--data-binary", f"@{content}")[0]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


@pytest.fixture
def house(folder):
    for name in ("ann", "bob"):
        BudgetStore(f"sqlite:///{folder}/budget.db").account(name, Budget(3, 1e-5))
    proxy = proxy_from_options(f"https://{HOST}", "X-Remote-User", folder / "key")
    session, server = running(proxy, store=f"sqlite:///{folder}/budget.db", spends=True)
    (folder / "explorer.key").write_text(f'proxy_set_header {KEY_HEADER} "{(folder / "key").read_text()}";')
    (folder / "people").write_text(f"ann:{made('openssl', 'passwd', '-6', 'secret')}\n")
    whose = ["-subj", f"/CN={HOST}", "-keyout", f"{folder}/private.key", "-out", f"{folder}/explorer.pem"]
    made("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", *whose)
    yield session.port
    server.should_exit = True


def test_the_guides_configuration_lets_people_in_under_their_own_names_and_writes_no_upload(house, folder):
    (folder / "mine.csv").write_text("dep_delay,late\n" + "5,0\n50,1\n" * 10**5)
    (folder / "large.csv").write_bytes(b"0" * 24 * 10**6)
    told = {}
    for buffered in (False, True):  # the second one is the control
        nginx = Nginx(folder, house, buffered)
        try:
            assert nginx.get("/", user="")[0] == 401
            for forged in ([], ["-H", "X-Remote-User: bob"], ["-H", f"{KEY_HEADER}: 0"], ["-H", "x-remote-user: "]):
                status, page = nginx.get("/", *forged)
                assert status == 200 and "ann · may spend" in page
            assert nginx.get("/", "-H", "Host: evil.example")[0] == 421
            assert nginx.get("/learn/spend", "-d", "x=1", "-H", "Origin: https://evil.example")[0] == 403
            assert nginx.upload(folder / "mine.csv") == 200 and nginx.upload(folder / "large.csv") == 413
            assert nginx.get(f"/plan?long={'a' * 30_000}")[0] == 200
            asked = "&".join(f"{name}={text}" for name, text in (ASKED | {"source": "u1", "account": "ann"}).items())
            assert "200,000" in as_read(nginx.get(f"/learn?{asked.replace(' ', '')}")[1])
        finally:
            nginx.stop()
        told[buffered] = (folder / "errors").read_text()
    assert "temporary file" not in told[False] and "buffered to a temporary file" in told[True]
