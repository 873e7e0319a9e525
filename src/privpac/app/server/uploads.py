"""Files that arrive through the browser, in memory only.

With JavaScript, the file is the body of a request. Without it, a form sends the file between other fields; libraries
that read such forms may write large files to disk on the way, so the few lines that are needed are here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BOUNDARY = re.compile(r'multipart/form-data;.*\bboundary="?([^";,\s]{1,70})"?', re.IGNORECASE)
FIELD_NAME = re.compile(r'\bname="([^"]*)"')
FILE_NAME = re.compile(r'\bfilename="([^"]*)"')


@dataclass(frozen=True)
class FormPart:
    """A field of a form. If it holds a file, ``file_name`` is the name of the file."""

    content: bytes
    file_name: str = ""

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")


def form_parts(kind: str, content: bytes) -> dict[str, FormPart]:
    r"""The parts of a form by their names; ``kind`` is the content type. Empty if this is not a form.

    >>> sent = b'--x\r\nContent-Disposition: form-data; name="a"; filename="a.csv"\r\n\r\n1\r\n--x--\r\n'
    >>> form_parts("multipart/form-data; boundary=x", sent)
    {'a': FormPart(content=b'1', file_name='a.csv')}
    """
    if not (boundary := BOUNDARY.match(kind)):
        return {}
    parts = {}
    for part in (b"\r\n" + content).split(b"\r\n--" + boundary[1].encode())[1:-1]:
        head, _, body = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        header = head.decode("utf-8", "replace")
        if name := FIELD_NAME.search(header):
            file = FILE_NAME.search(header)
            parts[name[1]] = FormPart(body, file[1] if file else "")
    return parts
