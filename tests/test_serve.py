"""`docaudit serve` as a real process on a port of this machine: what it answers, refuses, ends and leaves behind."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest

from docaudit.cli import main
from tests import pdfs
from tests.servers import PLAIN, TABLE, Server, serving, until

pytest.importorskip("fastapi", reason="the extra serve is not installed")
from docaudit.integrations.http import ServeSettings

pytestmark = pytest.mark.slow

SAMPLES = Path(__file__).parent.parent / "samples"
QUESTION = "How much electricity does AI consume?"
SMALL = pdfs.document(pdfs.text("Our data centres use electricity."), pdfs.text("Nothing else is said."))
LONG = (SAMPLES / "commodity-report.pdf").read_bytes()
"""Takes many seconds with OCR."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What clients may name: a report, a saved parse, a link that leads out of it; beside it what they may not."""
    top = tmp_path_factory.mktemp("files")
    root = top / "root"
    root.mkdir()
    (root / "small.pdf").write_bytes(SMALL)
    (top / "secret.pdf").write_bytes(SMALL)
    (root / "out.pdf").symlink_to(top / "secret.pdf")
    assert main(["parse", str(root / "small.pdf"), "--out", str(root / "parsed"), "--ocr", "off"]) == 0
    return root


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Iterator[Server]:
    temporary = tmp_path_factory.mktemp("serve") / "tmp"
    flags = ("--root", str(folder), "--tables", str(SAMPLES), "--max-upload-mb", "3", "--max-table-mb", "1")
    with serving(temporary, *flags, "--max-pages", "80") as server:
        yield server


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client
    until(lambda: not server.places() and not server.workers())


def audited(
    client: httpx.Client, document: bytes = SMALL, name: str = "small.pdf", **fields: Any
) -> httpx.Response:
    given = {"concepts": TABLE, "options": json.dumps(PLAIN), **fields}
    files = {"document": (name, document)}
    return client.post("/v1/audit", data={key: value for key, value in given.items() if value}, files=files)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> bytes:
    capsys.readouterr()
    main(list(arguments))
    return capsys.readouterr().out.encode()


@pytest.fixture
def table(tmp_path: Path) -> str:
    file = tmp_path / "table.json"
    file.write_text(TABLE)
    return str(file)


# ---- what it answers


@pytest.mark.slow
def test_the_sample_as_the_command_line_has_it(
    client: httpx.Client, capsys: pytest.CaptureFixture[str]
) -> None:
    doc, concepts = SAMPLES / "commodity-report.pdf", SAMPLES / "ai-power.csv"
    answer = client.post(
        "/v1/audit",
        files={"document": (doc.name, doc.read_bytes()), "concepts": (concepts.name, concepts.read_bytes())},
        data={"question": QUESTION},
    )
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["finding"] == "absent_within_coverage"
    expected = printed(
        capsys, "audit", str(doc), "--concepts", str(concepts), "--question", QUESTION, "--json"
    )
    assert answer.content == expected


def test_every_way_to_name_things_gives_the_same(
    client: httpx.Client, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    doc, concepts = str(folder / "small.pdf"), str(SAMPLES / "ai-power.csv")
    expected = printed(
        capsys, "audit", doc, "--concepts", concepts, "--question", QUESTION, "--json", "--ocr", "off"
    )
    options, table = json.dumps(PLAIN), ("ai-power.csv", Path(concepts).read_bytes())
    beside = {"question": QUESTION, "options": options}
    uploaded = {"document": ("small.pdf", SMALL)}
    ways = [
        client.post("/v1/audit", files={**uploaded, "concepts": table}, data=beside),
        client.post("/v1/audit", files=uploaded, data={**beside, "table": "ai-power.csv"}),
        client.post("/v1/audit", files={"concepts": table}, data={**beside, "path": "small.pdf"}),
        client.post(
            "/v1/audit",
            json={"path": "small.pdf", "table": "ai-power.csv", "question": QUESTION, "options": PLAIN},
        ),
    ]
    assert [way.content for way in ways] == [expected] * 4


def test_coverage_and_sweep(
    client: httpx.Client, folder: Path, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    doc = str(folder / "small.pdf")
    coverage = client.post("/v1/coverage", json={"path": "small.pdf", "options": PLAIN})
    assert coverage.content == printed(capsys, "coverage", doc, "--json", "--ocr", "off")
    sweep = client.post(
        "/v1/sweep",
        files={"document": ("small.pdf", SMALL)},
        data={"concepts": TABLE, "options": '{"ocr": "off"}'},
    )
    expected = printed(capsys, "sweep", doc, "--concepts", table, "--json", "--ocr", "off")
    assert [sweep.json()] == json.loads(expected)
    assert len(sweep.json()["hits"]) == 1


def test_a_saved_parse_below_a_root(client: httpx.Client) -> None:
    answer = client.post("/v1/audit", json={"path": "parsed", "concepts": json.loads(TABLE)})
    assert answer.json()["concept_hits"] == {"power": 1, "AI": 0}


@pytest.mark.parametrize("ask", [{"headers": {"Accept": "text/html"}}, {"params": {"format": "html"}}])
def test_the_report(client: httpx.Client, ask: dict[str, Any]) -> None:
    data = {"concepts": TABLE, "options": json.dumps({**PLAIN, "language": "ja"})}
    answer = client.post("/v1/audit", files={"document": ("報告.pdf", SMALL)}, data=data, **ask)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "報告.pdf" in answer.text
    rules = answer.headers["content-security-policy"]
    assert "script-src" not in rules
    assert "default-src 'none'" in rules
    assert rules.endswith("sandbox")


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("../../etc/passwd.pdf", "passwd.pdf"),
        ("C:\\reports\\2025.pdf", "2025.pdf"),
        ("報告書 2025年.pdf", "報告書 2025年.pdf"),
        ("..", "document.pdf"),
        ("<img src=x>\u202e.pdf", "<img src=x>.pdf"),
        ("x" * 500 + ".pdf", "x" * 196 + ".pdf"),
    ],
)
def test_names_of_uploads_are_data(client: httpx.Client, name: str, kept: str) -> None:
    answer = audited(client, name=name)
    assert answer.json()["document"]["name"] == kept


def test_several_at_once_do_not_mix(server: Server) -> None:
    documents = [pdfs.document(pdfs.text(f"Document {n}.", *["electricity"] * n)) for n in range(1, 5)]
    found: dict[int, int] = {}

    def one(n: int) -> None:
        with server.client() as client:
            found[n] = audited(client, documents[n - 1], "same.pdf").json()["concept_hits"]["power"]

    threads = [threading.Thread(target=one, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {1: 1, 2: 2, 3: 3, 4: 4}


def test_health_and_offer(client: httpx.Client) -> None:
    assert client.get("/health/live").json() == {"status": "ok"}
    ready = client.get("/health/ready").json()
    assert (ready["status"], ready["running"], ready["waiting"]) == ("ready", 0, 0)
    assert set(ready["versions"]) >= {"docaudit", "pymupdf", "pypdfium2"}
    offer = client.get("/v1/offer").json()
    assert "ai-power.csv" in offer["tables"]
    assert "commodity-report.pdf" not in offer["tables"]
    assert (offer["roots"], offer["keeps"]) == (["root"], False)


def test_the_description_holds_what_is_answered(client: httpx.Client) -> None:
    schema = client.get("/openapi.json").json()
    names = re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(schema))
    assert set(names) <= set(schema["components"]["schemas"])

    def check(data: object, model: str) -> None:
        jsonschema.validate(
            data, {"$ref": f"#/components/schemas/{model}", "components": schema["components"]}
        )

    check(audited(client).json(), "AbsenceJustification")
    check(audited(client, b"x").json(), "Problem")
    check(client.post("/v1/coverage", json={"path": "small.pdf"}).json(), "CorpusReadability")
    check({"path": "small.pdf", "concepts": {"AI": ["AI"]}, "options": PLAIN}, "AuditRequest")


# ---- what it refuses

LOCKED = pdfs.document(pdfs.text("Secret electricity."), encryption=4, user_pw="open", owner_pw="own")


@pytest.mark.parametrize(
    ("document", "status", "code"),
    [
        (b"", 422, "not_a_pdf"),
        (b"<html>", 422, "not_a_pdf"),
        (b"%PDF-1.7\n%%EOF", 422, None),
        (SMALL[:300], 422, None),
        (LOCKED, 422, "password_required"),
        (b"x" * (3 * 1024 * 1024 + 1), 413, "upload_too_large"),
        (b"x" * (6 * 1024 * 1024), 413, "upload_too_large"),
        (pdfs.document(*[pdfs.text("page")] * 81), 413, "too_many_pages"),
    ],
)
def test_documents_that_cannot_be_read(
    client: httpx.Client, document: bytes, status: int, code: str | None
) -> None:
    answer = audited(client, document, "given.pdf")
    assert answer.status_code == status
    problem = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert problem["code"] == (code or problem["code"])
    assert (
        problem["code"] in ("not_a_pdf", "damaged_document", "no_pages", "password_required") or status == 413
    )
    assert problem["message"]
    assert problem["remedy"]
    assert "absent" not in answer.text
    _tells_nothing_of_the_server(answer)


def _tells_nothing_of_the_server(answer: httpx.Response) -> None:
    for word in ("Traceback", "/tmp", "docaudit-serve", "/root", "site-packages"):
        assert word not in answer.text


def test_a_password_opens_and_is_not_repeated(client: httpx.Client) -> None:
    answer = audited(client, LOCKED, options=json.dumps({**PLAIN, "password": "open"}))
    assert answer.json()["concept_hits"]["power"] == 1
    assert '"password"' not in answer.text
    wrong = audited(client, LOCKED, options='{"password": "wrong"}').json()
    assert (wrong["code"], wrong["remedy"]) == ("password_required", "send it as the option password")


@pytest.mark.parametrize(
    ("fields", "status", "code", "says"),
    [
        ({"options": '{"ocr": "sometimes"}'}, 422, "wrong_request", "options.ocr"),
        ({"options": '{"workers": 64}'}, 422, "wrong_request", "options.workers"),
        ({"options": '{"document_seconds": 1e9}'}, 422, "wrong_request", "options.document_seconds"),
        ({"options": '{"explain_with": "model"}'}, 422, "wrong_request", "options.explain_with"),
        ({"options": '{"ocr_engine": "tesseract"}'}, 422, "wrong_request", "options.ocr_engine"),
        ({"options": '{"ocr_lang": "../../etc", "ocr": "auto"}'}, 422, "option", "ocr_lang"),
        ({"options": '{"waive": {"nothing": "why"}}'}, 422, "wrong_request", "options.waive"),
        ({"options": '{"waive": {"ink_read": " "}}'}, 422, "wrong_request", "options.waive"),
        ({"options": '{"scope": "window", "window_words": 1}'}, 422, "wrong_request", "options.window_words"),
        ({"options": "{"}, 422, "not_json", "field options"),
        ({"options": "[" * 100_000}, 422, "not_json", "recursion"),
        ({"concepts": '{"AI": ["AI"], "AI": ["other"]}'}, 422, "not_json", "stands twice"),
        ({"concepts": '{"AI": []}'}, 422, "concept_table", "AI"),
        ({"concepts": "{}"}, 422, "concept_table", ""),
        ({"concepts": '["AI"]'}, 422, "wrong_request", "concepts"),
        ({"concepts": None}, 422, "wrong_request", "one of the three"),
        ({"table": "ai-power.csv"}, 422, "wrong_request", "one of the three"),
        ({"concepts": None, "table": "../small.pdf"}, 404, "no_such_table", ""),
        ({"concepts": None, "table": "commodity-report.pdf"}, 404, "no_such_table", ""),
        ({"path": "small.pdf"}, 422, "wrong_request", "one of the two"),
        ({"question": "???"}, 422, "question", ""),
        ({"nothing": "x"}, 422, "wrong_request", "nothing"),
    ],
)
def test_wrong_requests(
    client: httpx.Client, fields: dict[str, Any], status: int, code: str, says: str
) -> None:
    answer = audited(client, **fields)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert says in answer.text
    _tells_nothing_of_the_server(answer)


@pytest.mark.parametrize(
    ("name", "table", "says"),
    [
        ("t.csv", b"concept,variant,match\nAI,AI,exactly\nAI,ML,never\n", "exactly"),
        ("t.csv", b"", "empty"),
        ("t.exe", b"concept,variant\nAI,AI\n", "suffix"),
        ("t.xlsx", b"PK\x03\x04 not a workbook", "t.xlsx"),
        ("t.yaml", b"a: [", "t.yaml"),
    ],
)
def test_tables_that_are_wrong(client: httpx.Client, name: str, table: bytes, says: str) -> None:
    answer = client.post("/v1/audit", files={"document": ("small.pdf", SMALL), "concepts": (name, table)})
    assert (answer.status_code, answer.json()["code"], answer.json()["file"]) == (422, "concept_table", name)
    assert says in answer.text
    _tells_nothing_of_the_server(answer)
    if b"never" in table:
        assert len(answer.json()["problems"]) == 2


def test_a_table_that_is_too_large(client: httpx.Client) -> None:
    large = b"concept,variant\n" + b"AI,word\n" * 200_000
    answer = client.post("/v1/audit", files={"document": ("a.pdf", SMALL), "concepts": ("t.csv", large)})
    assert (answer.status_code, answer.json()["code"]) == (413, "upload_too_large")
    answer = client.post("/v1/audit", json={"path": "small.pdf", "concepts": {"AI": ["word" * 10] * 100_000}})
    assert (answer.status_code, answer.json()["code"]) == (413, "upload_too_large")


@pytest.mark.parametrize(
    "path",
    [
        "../secret.pdf",
        "out.pdf",
        "/etc/passwd",
        "root/../../secret.pdf",
        "./../secret.pdf",
        "x\0.pdf",
        "no.pdf",
        "%2e%2e/secret.pdf",
    ],
)
def test_paths_lead_nowhere_else(client: httpx.Client, path: str) -> None:
    answer = client.post("/v1/audit", json={"path": path, "concepts": {"AI": ["AI"]}})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_below_roots")
    _tells_nothing_of_the_server(answer)


def test_what_a_retriever_missed(client: httpx.Client) -> None:
    chunks = json.dumps([{"text": "Nothing else is said.", "page": 2}])
    answer = audited(client, concepts='{"power": ["electricity"]}', retrieved=chunks)
    assert answer.json()["retrieval"]["verdict"] == "missed"
    wrong = audited(client, retrieved='[{"text": "x", "pag": 2}]').json()
    assert wrong["problems"][0].startswith("retrieved.0.pag")
    swept = {"path": "small.pdf", "concepts": {"AI": ["AI"]}, "retrieved": []}
    assert "only an audit" in client.post("/v1/sweep", json=swept).text


def test_what_is_no_form(client: httpx.Client) -> None:
    assert client.post("/v1/audit", content=b"x", headers={"content-type": "text/plain"}).status_code == 415
    assert client.post("/v1/audit", content=b"x").status_code == 415
    torn = client.post(
        "/v1/audit", content=b"--x\r\n\r\n", headers={"content-type": "multipart/form-data; boundary=y"}
    )
    assert (torn.status_code, torn.json()["code"]) == (400, "bad_form")
    unbounded = client.post("/v1/audit", content=b"--x", headers={"content-type": "multipart/form-data"})
    assert (unbounded.status_code, unbounded.json()["code"]) == (400, "bad_form")
    for body in (b"null", b"[]", b"\xff", b"{", b'{"path": 3}', b'{"path": "\\ud800"}'):
        answer = client.post("/v1/audit", content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (404, 422)
        assert answer.json()["code"] in ("not_json", "wrong_request", "not_below_roots")
    assert client.get("/v1/audit").status_code == 405
    assert client.head("/").status_code == 200
    assert client.get("/nothing").json()["code"] == "not_found"
    assert client.post("/v1/audit?format=pdf").json()["code"] == "wrong_request"


def part(name: str, value: bytes, file: str = "") -> bytes:
    """One part of a form whose boundary is b."""
    filename = f'; filename="{file}"' if file else ""
    return (
        f'--b\r\nContent-Disposition: form-data; name="{name}"{filename}\r\n\r\n'.encode() + value + b"\r\n"
    )


FORM = {"content-type": "multipart/form-data; boundary=b"}
DOCUMENT = part("document", SMALL, file="small.pdf") + part("options", b'{"ocr": "off"}')


def test_a_form_is_taken_as_it_was_sent_or_not_at_all(client: httpx.Client) -> None:
    words = part("concepts", '{"電力": ["電力"]}'.encode("cp932"))
    answer = client.post("/v1/audit", content=DOCUMENT + words + b"--b--\r\n", headers=FORM)
    assert (answer.status_code, answer.json()["code"]) == (422, "not_utf8")
    whole = DOCUMENT + part("concepts", TABLE.encode()) + part("question", b"Electricity?")
    assert client.post("/v1/audit", content=whole + b"--b--", headers=FORM).status_code == 200
    for cut in (whole, whole[:-20], whole + b"--b-"):
        answer = client.post("/v1/audit", content=cut, headers=FORM)
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_form")
        assert "not complete" in answer.json()["message"]


def test_a_path_of_no_characters(client: httpx.Client) -> None:
    answer = client.post("/v1/audit", json={"path": "", "concepts": {"AI": ["AI"]}})
    assert (answer.status_code, answer.json()["code"]) == (422, "wrong_request")


def test_under_which_name_and_from_whose_page(server: Server, client: httpx.Client) -> None:
    port = server.address.rsplit(":", 1)[1]
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "8.8.8.8"):
        assert client.get("/v1/offer", headers={"Host": host}).status_code == 400, host
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
        assert client.get("/v1/offer", headers={"Host": host}).status_code == 200
    for headers in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        answer = client.post("/v1/audit", json={}, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "other_origin")
        assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200  # a link leads there


# ---- limits


def head(server: Server, *more: str) -> bytes:
    host = server.address.removeprefix("http://")
    lines = [
        "POST /v1/audit HTTP/1.1",
        f"Host: {host}",
        "Content-Type: multipart/form-data; boundary=b",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


PART = b'--b\r\nContent-Disposition: form-data; name="document"; filename="a.pdf"\r\n\r\n'


def connected(server: Server) -> socket.socket:
    host, port = server.address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=30)


def all_of(link: socket.socket) -> bytes:
    received = b""
    while piece := link.recv(65536):
        received += piece
    return received


def test_a_chunked_upload_is_counted(server: Server) -> None:
    piece = b"x" * 65536
    with connected(server) as link:
        link.sendall(head(server, "Transfer-Encoding: chunked"))
        link.sendall(b"%x\r\n%s\r\n" % (len(PART), PART))
        sent = 0
        try:
            while sent < 50 << 20:
                link.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
                sent += len(piece)
        except OSError:
            assert sent < 50 << 20  # it hung up
        else:
            answer = all_of(link)
            assert answer.startswith(b"HTTP/1.1 413")
    until(lambda: not server.places())


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    temporary = tmp_path_factory.mktemp("impatient") / "tmp"
    with serving(
        temporary, "--upload-seconds", "1", "--audit-seconds", "4", "--jobs", "1", "--queue", "1"
    ) as server:
        yield server


def test_an_upload_that_does_not_come(impatient: Server) -> None:
    with connected(impatient) as link:
        link.sendall(head(impatient, "Content-Length: 100000"))  # and then less than that
        link.sendall(PART)
        answer = all_of(link)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"upload_timed_out" in answer
    until(lambda: not impatient.places())


def test_time_is_up(impatient: Server) -> None:
    with impatient.client() as client:
        answer = audited(client, LONG, options=None)
    assert (answer.status_code, answer.json()["code"]) == (504, "audit_timed_out")
    assert "nothing is known of the document" in answer.text
    until(lambda: not impatient.workers() and not impatient.places(), 10)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Server]:
    with serving(tmp_path / "tmp", "--jobs", "1", "--queue", "1", "--allow-host", "audits.example") as server:
        yield server


BESIDE = (
    b'\r\n--b\r\nContent-Disposition: form-data; name="concepts"\r\n\r\n' + TABLE.encode() + b"\r\n--b--\r\n"
)


def begin(server: Server) -> socket.socket:
    """An audit that goes on until the connection is closed."""
    body = PART + LONG + BESIDE
    link = connected(server)
    link.sendall(head(server, f"Content-Length: {len(body)}") + body)
    return link


def test_full_then_left_by_all(own: Server) -> None:
    with own.client() as client:
        with begin(own):
            until(lambda: len(own.workers()) >= 2)
            with begin(own) as second:
                until(lambda: client.get("/health/ready").status_code == 503)
                ready = client.get("/health/ready").json()
                assert (ready["status"], ready["running"], ready["waiting"]) == ("full", 1, 1)
                answer = audited(client)
                assert (answer.status_code, answer.json()["code"]) == (503, "busy")
                assert int(answer.headers["retry-after"]) > 0
                assert len(own.workers()) >= 2
                assert second.fileno() > 0
        # Both hang up: the process that works, those that read for it, and the files of both are gone.
        until(lambda: not own.workers() and not own.places(), 10)
        until(lambda: client.get("/health/ready").status_code == 200)
        assert audited(client).status_code == 200
        assert client.get("/v1/offer", headers={"Host": "audits.example"}).status_code == 200


def test_the_worker_is_killed(own: Server) -> None:
    with begin(own) as link:
        until(lambda: len(own.workers()) >= 2)
        os.kill(min(own.workers()), signal.SIGKILL)  # the others are its children
        answer = link.recv(65536)
        while b"worker_failed" not in answer:
            piece = link.recv(65536)
            assert piece, answer
            answer += piece
    assert answer.startswith(b"HTTP/1.1 500")
    until(lambda: not own.workers() and not own.places(), 10)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_it_leaves_nothing(own: Server, how: signal.Signals) -> None:
    with begin(own):
        until(lambda: len(own.workers()) >= 2)
        own.process.send_signal(how)
        assert own.process.wait(20) == 0
    until(lambda: not own.workers(), 10)
    assert own.places() == []


def test_killed_it_leaves_no_process(own: Server) -> None:
    with begin(own):
        until(lambda: len(own.workers()) >= 2)
        own.process.kill()
        own.process.wait()
        until(lambda: not own.workers(), 10)


def test_kept_only_if_asked(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with serving(tmp_path / "tmp", "--keep", str(kept)) as server, server.client() as client:
        answer = audited(client, name="../small.pdf")
        assert answer.status_code == 200
        assert audited(client, b"no pdf").status_code == 422
        (one,) = kept.iterdir()
        files = {str(file.relative_to(one)): file.read_bytes() for file in one.rglob("*") if file.is_file()}
        table = files.pop("table/concepts.json")
        assert json.loads(table) == json.loads(TABLE)
        assert files == {"document/small.pdf": SMALL, "out/result.json": answer.content}
        assert client.get("/v1/offer").json()["keeps"]
        assert server.places() == []


# ---- the command


def test_other_machines_are_warned_of(tmp_path: Path) -> None:
    with serving(tmp_path / "tmp", "--host", "0.0.0.0") as server:
        assert "no login" in server.log.read_text()
        port = server.address.rsplit(":", 1)[1]
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            assert client.get("/v1/offer").json()["roots"] == []
            assert client.get("/v1/offer", headers={"Host": "192.0.2.7"}).status_code == 200
            answer = client.post("/v1/audit", json={"path": "a.pdf", "concepts": {"AI": ["AI"]}})
            assert (answer.status_code, answer.json()["code"]) == (404, "no_roots")


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--port", "70000"], "--port: Input should be less than or equal to 65535"),
        (["--jobs", "0"], "--jobs: Input should be greater than or equal to 1"),
        (["--root", "/no/such"], "/no/such: no such folder"),
        (["--tables", "/no/such"], "/no/such: the folder of tables cannot be listed"),
        (["--host", "nowhere.invalid"], "cannot listen on nowhere.invalid"),
    ],
)
def test_flags_that_do_not_fit(flags: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", *flags]) == 2
    assert says in capsys.readouterr().err


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "Address already in use (name another" in capsys.readouterr().err


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(__import__("sys").modules, "docaudit.integrations.http", None)
    assert main(["serve"]) == 2
    assert 'pip install ".[serve]"' in capsys.readouterr().err


def test_help_says_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--help"]) == 0
    shown = re.sub(r"\s+", " ", capsys.readouterr().out)
    said = dict(re.findall(r"--([\w-]+) [A-Z]+ (?:(?!--)[^\[\]])+\[default: ([\d.]+)[],]", shown))
    fields = ServeSettings.model_fields
    assert said == {
        name.replace("_", "-"): f"{field.default:g}"
        if isinstance(field.default, float)
        else str(field.default)
        for name, field in fields.items()
        if field.default not in ((), None)
    }
