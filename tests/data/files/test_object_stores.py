"""Files in an object store are read as files here are; the store is a small server that speaks S3's protocol."""

import gzip
import io
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privpac.data.counting.groups import group_counts
from privpac.data.domains.line import Line
from privpac.data.files.object_stores import StoredFiles
from privpac.data.open_table import open_table
from tests.sentinels import SECRET


def parquet(columns) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


OBJECTS = {
    "flights.parquet": parquet({"delay": [37, 2, 37], "late": [1, 0, 1]}),
    "flights.csv": b"delay,late\n37,1\n2,0\n37,1\n",
    "flights.csv.gz": gzip.compress(b"delay,late\n37,1\n2,0\n37,1\n"),
    "years/year=2025/a.parquet": parquet({"delay": [37]}),
    "years/year=2026/a.parquet": parquet({"delay": [2, 3]}),
    "years/_temporary/a.parquet": parquet({"other": [SECRET]}),
    "unlike/a.parquet": parquet({"delay": [37]}),
    "unlike/b.parquet": parquet({"delay": ["37"]}),
    "twice/delay=3/a.parquet": parquet({"delay": [37]}),
    "deep/year=2026/a.parquet": parquet({"delay": [37]}),
    "deep/a.parquet": parquet({"delay": [37]}),
    "broken.parquet": f"{SECRET}".encode(),
    "none/readme.txt": b"",
}


class Store(BaseHTTPRequestHandler):
    """The requests of S3 that reading takes: list a bucket, say how long an object is, send a part of it."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        url = urlsplit(self.path)
        key = unquote(url.path).removeprefix("/bucket").strip("/")
        if not key:
            return self.listed(parse_qs(url.query, keep_blank_values=True))
        content = OBJECTS.get(key)
        if content is None:
            return self.sent(404, b"")
        if (asked := self.headers.get("Range")) is None:
            return self.sent(200, content)
        first, last = (int(each) for each in asked.removeprefix("bytes=").split("-"))
        last = min(last, len(content) - 1)
        return self.sent(206, content[first : last + 1], {"Content-Range": f"bytes {first}-{last}/{len(content)}"})

    def listed(self, asked):
        prefix, delimiter = asked.get("prefix", [""])[0], asked.get("delimiter", [""])[0]
        found, folders = [], set()
        for key, content in OBJECTS.items():
            rest = key.removeprefix(prefix)
            if key.startswith(prefix) and delimiter and delimiter in rest:
                folders.add(prefix + rest.partition(delimiter)[0] + delimiter)
            elif key.startswith(prefix):
                found.append(f"<Contents><Key>{key}</Key><Size>{len(content)}</Size></Contents>")
        common = [f"<CommonPrefixes><Prefix>{each}</Prefix></CommonPrefixes>" for each in sorted(folders)]
        inside = f"<KeyCount>{len(found) + len(common)}</KeyCount>{''.join(found + common)}"
        self.sent(200, f"<ListBucketResult><IsTruncated>false</IsTruncated>{inside}</ListBucketResult>".encode())

    def sent(self, status, content, headers=None):
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), "ETag": '"1"', **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)


@pytest.fixture(scope="module")
def address():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Store)
    Thread(target=server.serve_forever, daemon=True).start()
    yield (
        lambda key: (
            f"s3://reader:{SECRET}@bucket/{key}"
            f"?endpoint_override=127.0.0.1:{server.server_address[1]}&scheme=http&region=us-east-1&allow_bucket_creation=false"
        )
    )
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("key", ["flights.parquet", "flights.csv", "flights.csv.gz"])
def test_a_file_is_a_table(address, key):
    answer = group_counts(open_table(address(key)), ["delay"], "late", domains=[Line(0, 99)])
    assert sorted(zip(answer.columns[0].tolist(), answer.counts.tolist(), strict=True)) == [(2, 1), (37, 2)]


def test_folders_name_columns(address):
    table = open_table(address("years"))
    assert table.columns == ("delay", "year") and table.schema()["year"].is_string()
    answer = group_counts(table, ["year"])
    assert sorted(zip(answer.columns[0].tolist(), answer.counts.tolist(), strict=True)) == [("2025", 1), ("2026", 2)]


@pytest.mark.parametrize(
    ("key", "match"),
    [
        ("unlike", "store their columns differently"),
        ("twice", "'delay' is in the files and in the names of their folders"),
        ("deep", "name different columns"),
        ("none", r"no file ends with \.parquet"),
        ("broken.parquet", "damaged or not a Parquet file"),
        ("missing.parquet", "there is nothing at s3://bucket/missing.parquet; check the address"),
        ("missing.csv", "there is nothing at s3://bucket/missing.csv; check the address"),
    ],
)
def test_what_is_no_table_is_refused_without_a_secret(address, key, match):
    with pytest.raises((ValueError, FileNotFoundError), match=match) as error:
        open_table(address(key))
    assert str(SECRET) not in str(error.value)


def test_a_file_has_no_table_of_a_name(address):
    with pytest.raises(ValueError, match="a file with a single table") as error:
        open_table(address("flights.parquet"), "flights")
    assert str(SECRET) not in str(error.value)


def test_the_files_of_a_store_are_listed(address):
    assert [file.path for file in StoredFiles.at(address("years")).files] == [
        "bucket/years/year=2025/a.parquet",
        "bucket/years/year=2026/a.parquet",
    ]


@pytest.mark.parametrize("rest", ["bucket/a b%zz.csv", "/x.parquet"])
def test_an_address_that_cannot_be_read_is_refused_without_a_secret(rest):
    with pytest.raises((ValueError, FileNotFoundError), match=r"cannot be read|nothing at") as error:
        open_table(f"s3://reader:{SECRET}@{rest}")
    assert str(SECRET) not in str(error.value)
