"""A real browser: Chromium without a window, told what to do through a pipe (the Chrome DevTools Protocol)."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

FOUND = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NEEDED = pytest.mark.skipif(
    FOUND is None, reason="NOT RUN: no Chromium on this machine; install Debian's package chromium to test the explorer"
)


class PageLeft(Exception):
    """The tab went on to another page before it answered."""


class Chromium:
    """One tab. ``requests``: all addresses that it asked for; ``complaints``: what it wrote on its console."""

    def __init__(self) -> None:
        self.profile = tempfile.mkdtemp()
        hears, tells = os.pipe()
        answers, told = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run"]
        flags += ["--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update"]
        flags += [f"--user-data-dir={self.profile}", "--hide-scrollbars", "about:blank"]
        wired = f'exec "$@" 3<&{hears} 4>&{told}'  # the browser hears on 3 and answers on 4
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(["bash", "-c", wired, "bash", FOUND, *flags], pass_fds=(hears, told), **quiet)
        os.close(hears)
        os.close(told)
        self.pipe, self.heard, self.number = (tells, answers), b"", 0
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.loaded: list[str] = []
        self.tab = None
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self.tab = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.tell(f"{domain}.enable")
        self.tell("Page.setLifecycleEventsEnabled", enabled=True)

    def tell(self, method: str, **given):
        """One command; returns what the browser answers."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        os.write(self.pipe[0], json.dumps(message | ({"sessionId": self.tab} if self.tab else {})).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                if "navigated" in answer.get("error", {}).get("message", ""):
                    raise PageLeft
                assert "error" not in answer, answer
                return answer["result"]

    def _next(self) -> dict:
        while b"\0" not in self.heard:
            more = os.read(self.pipe[1], 1 << 20)
            assert more, "the browser is gone"
            self.heard += more
        first, _, self.heard = self.heard.partition(b"\0")
        answer = json.loads(first)
        self._note(answer.get("method"), answer.get("params", {}))
        return answer

    def _note(self, method: str | None, given: dict) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(given["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning"):
            self.complaints.append(json.dumps(given["args"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.complaints.append(given["entry"]["text"])
        elif method == "Page.lifecycleEvent" and given["name"] == "load":
            self.loaded.append(given["loaderId"])

    def open(self, address: str) -> None:
        """Load a page."""
        which = self.tell("Page.navigate", url=address)["loaderId"]
        while which not in self.loaded:
            self._next()

    def run(self, script: str):
        """The value of an expression on the page."""
        found = self.tell("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def wait(self, script: str, seconds: float = 20) -> None:
        """Until an expression is true, on this page or on the next one."""
        end = time.monotonic() + seconds
        while not self._holds(script):
            assert time.monotonic() < end, f"{script} never held"
            time.sleep(0.05)

    def _holds(self, script: str) -> bool:
        try:
            return bool(self.run(script))
        except PageLeft:
            return False

    def press(self, key: str, code: int, text: str = "") -> None:
        """A key, down and up."""
        named = {"key": key, "windowsVirtualKeyCode": code, "nativeVirtualKeyCode": code}
        self.tell("Input.dispatchKeyEvent", type="keyDown", text=text, **named)
        self.tell("Input.dispatchKeyEvent", type="keyUp", **named)

    def look(self, width: int = 1200, *, dark: bool = False) -> None:
        """The width of the window, and the colors that a person prefers."""
        phone = width < 600
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=phone)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.tell("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path) -> None:
        """The whole page as PNG."""
        taken = self.tell("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(taken["data"]))

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        shutil.rmtree(self.profile, ignore_errors=True)
