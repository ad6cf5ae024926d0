"""docaudit over the Model Context Protocol: the SDK's own client, in memory and over the pipes of a real process."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import anyio
import httpx
import jsonschema
import pytest

import docaudit
from docaudit.cli import main
from docaudit.concepts.model import ConceptTable
from docaudit.extract import isolation
from docaudit.integrations.folders import AllowedFolders
from docaudit.saved import dump
from tests import pdfs
from tests.test_isolation import THREE, children

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")
from mcp.client.stdio import StdioServerParameters  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402
from mcp_types import CallToolResult  # noqa: E402

from docaudit.integrations.mcp import Limits, build_server  # noqa: E402

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent.parent
SAMPLES = HERE / "samples"
QUESTION = "How much electricity does AI consume?"
READABLE = pdfs.document(pdfs.text("wind and solar power"), pdfs.text("tariffs of 2024"))
HANGING = (
    "import sys; from docaudit.extract import isolation; isolation.WORKER = 'tests.saboteurs'; "
    "from docaudit.cli import main; sys.exit(main(['mcp', *sys.argv[1:]]))"
)
SOON = 30.0
"""Seconds; far less than the time limit of a page that hangs."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    (data / "power.pdf").write_bytes(READABLE)
    (data / "three.pdf").write_bytes(THREE)
    (data / "broken.pdf").write_bytes(b"%PDF-1.7 and no more")
    (data / "table.csv").write_text("concept,variant\nnuclear,nuclear\nnuclear,uranium\n")
    (tmp_path / "secret.pdf").write_bytes(READABLE)
    return data


def within(server: Any, work: Callable[[Any], Awaitable[Any]], **client: Any) -> Any:
    """What the work with a connected client comes to."""

    async def connected() -> Any:
        async with mcp.Client(server, **client) as connection:
            return await work(connection)

    return anyio.run(connected)


def call(roots: list[Path], tool: str, limits: Limits | None = None, **arguments: Any) -> CallToolResult:
    server = build_server(AllowedFolders(roots), limits)
    result: CallToolResult = within(server, lambda client: client.call_tool(tool, arguments))
    return result


def answer(roots: list[Path], tool: str, limits: Limits | None = None, **arguments: Any) -> dict[str, Any]:
    result = call(roots, tool, limits, **arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def error(roots: list[Path], tool: str, limits: Limits | None = None, **arguments: Any) -> str:
    result = call(roots, tool, limits, **arguments)
    assert result.is_error
    assert result.structured_content is None
    (block,) = result.content
    assert block.type == "text"
    assert "Traceback" not in block.text
    return str(block.text)


def command(*arguments: str) -> StdioServerParameters:
    """`docaudit mcp` as a client starts it."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "docaudit", "mcp", *arguments],
        env={**os.environ, "PYTHONPATH": str(HERE)},
    )


class TestAudit:
    ASKED: ClassVar[dict[str, Any]] = {
        "document": "commodity-report.pdf",
        "concepts": "ai-power.csv",
        "question": QUESTION,
        "options": {"ocr": "off"},
    }

    @pytest.fixture(scope="class")
    @classmethod
    def printed(cls) -> str:
        words = ["commodity-report.pdf", "--concepts", "ai-power.csv", "--question", QUESTION]
        done = subprocess.run(
            [sys.executable, "-m", "docaudit", "audit", *words, "--ocr", "off", "--json"],
            cwd=SAMPLES,
            env={**os.environ, "PYTHONPATH": str(HERE)},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 3
        return done.stdout.decode("utf-8")

    def test_in_memory_it_is_the_json_of_the_command_line_byte_for_byte(self, printed: str) -> None:
        result = call([SAMPLES], "audit", **self.ASKED, detail="full")
        assert result.content[0].text == printed  # type: ignore[union-attr]
        assert result.structured_content is not None
        assert result.structured_content["justification"] == json.loads(printed)

    def test_over_pipes_too_with_progress(self, printed: str) -> None:
        told: list[tuple[float, float | None]] = []

        async def hear(done: float, total: float | None, _message: str | None) -> None:
            told.append((done, total))

        async def audit(client: Any) -> Any:
            return await client.call_tool("audit", {**self.ASKED, "detail": "full"}, progress_callback=hear)

        result = within(command(str(SAMPLES)), audit)
        assert result.content[0].text == printed
        assert told == sorted(set(told))
        assert told[-1] == (60, 60)

    def test_brief_is_short_and_says_how_to_word_it(self, folder: Path) -> None:
        pages = [pdfs.text(*["power"] * 40), pdfs.scan("nuclear power"), *[pdfs.blank] * 300]
        (folder / "long.pdf").write_bytes(pdfs.document(*pages))
        asked = {
            "document": "long.pdf",
            "concepts": {"nuclear": ["nuclear"], "power": ["power"]},
            "options": {"ocr": "off"},
        }
        full = call([folder], "audit", **asked, detail="full")
        result = call([folder], "audit", **asked, max_hits=2)
        text, whole = (one.content[0].text for one in (result, full))  # type: ignore[union-attr]
        assert json.loads(text) == result.structured_content
        assert len(text) * 10 < len(whole)
        brief, everything = json.loads(text), json.loads(whole)
        same = ("finding", "absence_explanation", "unmet", "concept_hits", "concept_pages", "digest")
        assert {name: brief[name] for name in same} == {name: everything[name] for name in same}
        assert (brief["hits_total"], len(brief["hits"]), brief["justification"]) == (40, 2, None)
        assert brief["how_to_say"].startswith("Absence is NOT established.")
        assert [check["pages"] for check in brief["unmet"]] == [[2]]

    @pytest.mark.parametrize(
        ("word", "finding"), [("nuclear", "absent_within_coverage"), ("solar", "mentioned")]
    )
    def test_findings(self, folder: Path, word: str, finding: str) -> None:
        reply = answer([folder], "audit", document="power.pdf", concepts={word: [word]})
        assert reply["finding"] == finding

    def test_tables_in_every_form_give_the_same(self, folder: Path) -> None:
        (folder / "table.json").write_text('{"nuclear": ["nuclear", "uranium"]}')
        forms: list[Any] = [
            "table.csv",
            "table.json",
            {"nuclear": ["nuclear", "uranium"]},
            {"nuclear": "nuclear | uranium"},
            [{"concept": "nuclear", "variant": "nuclear"}, {"concept": "nuclear", "variant": "uranium"}],
        ]
        replies = [answer([folder], "audit", document="power.pdf", concepts=form) for form in forms]
        assert {reply["digest"] for reply in replies} == {replies[0]["digest"]}

    def test_what_a_retriever_missed(self, folder: Path) -> None:
        asked = {"document": "power.pdf", "concepts": {"sun": ["solar"]}}
        for chunks, verdict in (
            ([{"text": "wind and solar power", "id": "c1"}], "all_retrieved"),
            ([], "missed"),
        ):
            reply = answer([folder], "audit", **asked, retrieved=chunks)
            assert (reply["finding"], reply["retrieval"]["verdict"]) == ("mentioned", verdict)
        assert answer([folder], "audit", **asked)["retrieval"] is None
        assert "retrieved.0.pag\n" in error([folder], "audit", **asked, retrieved=[{"text": "x", "pag": 1}])

    def test_a_saved_parse_is_not_read_again(self, folder: Path) -> None:
        docaudit.parse(READABLE, ocr="off", page_seconds=99).save(folder / "parsed")
        limits = Limits(page_seconds=5)
        told = answer([folder], "audit", limits, document="parsed", concepts="table.csv")
        assert told["document"]["name"] == "(bytes)"
        refused = error(
            [folder], "audit", limits, document="parsed", concepts="table.csv", options={"ocr": "full"}
        )
        assert "it was read with --ocr off, not with --ocr full" in refused

    def test_an_encrypted_document_needs_the_password_of_the_server(self, folder: Path) -> None:
        (folder / "locked.pdf").write_bytes(pdfs.encrypted(READABLE, user="sesame"))
        asked = {"document": "locked.pdf", "concepts": "table.csv"}
        said = error([folder], "audit", **asked)
        assert said.startswith("PasswordRequiredError: locked.pdf: ")
        assert "a person sets DOCAUDIT_PASSWORD" in said
        assert "--password" not in said
        text = json.dumps(answer([folder], "audit", Limits(password="sesame"), **asked, detail="full"))
        assert "absent_within_coverage" in text
        assert "sesame" not in text


class TestOtherTools:
    def test_every_result_fits_the_schema_of_its_tool(self, folder: Path) -> None:
        saved = folder / "saved.json"
        assert main(["audit", str(folder / "power.pdf"), "--concepts", str(folder / "table.csv"), "--ocr", "off",
                     "--out", str(folder / "out")]) == 0  # fmt: skip
        (folder / "out/justification.json").rename(saved)
        both: dict[str, Any] = {"document": "power.pdf", "concepts": "table.csv"}
        calls: dict[str, dict[str, Any]] = {
            "list_files": {},
            "audit": {**both, "detail": "full"},
            "coverage": {"document": "power.pdf", "detail": "full"},
            "sweep": {**both, "detail": "full"},
            "suggest": both,
            "verify": {"document": "power.pdf", "justification": "saved.json"},
        }

        async def all_of_them(client: Any) -> None:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(listed) == set(calls)
            for name, arguments in calls.items():
                result = await client.call_tool(name, arguments)
                assert not result.is_error, (name, result.content)
                jsonschema.validate(result.structured_content, listed[name].output_schema)
                assert listed[name].annotations.read_only_hint

        within(build_server(AllowedFolders([folder])), all_of_them)

    def test_sweep_reads_on_from_an_offset(self, folder: Path) -> None:
        asked = {"document": "power.pdf", "concepts": {"all": ["wind", "solar", "power", "tariffs"]}}
        whole = answer([folder], "sweep", **asked)
        assert (whole["hits_total"], whole["concept_hits"], whole["searched_in_full"]) == (
            4,
            {"all": 4},
            True,
        )
        assert [hit["match_text"] for hit in whole["hits"]] == ["wind", "solar", "power", "tariffs"]
        part = answer([folder], "sweep", **asked, offset=1, max_hits=2)
        assert part["hits"] == whole["hits"][1:3]
        assert whole["ledger"] is None

    def test_a_sweep_says_what_was_not_searched(self, folder: Path) -> None:
        (folder / "scan.pdf").write_bytes(pdfs.document(pdfs.scan("nuclear power"), pdfs.text("second page")))
        asked = {"document": "scan.pdf", "concepts": "table.csv", "options": {"ocr": "off"}}
        reply = answer([folder], "sweep", **asked)
        assert (reply["hits_total"], reply["searched_in_full"], reply["pages_with_unread_parts"]) == (
            0,
            False,
            [1],
        )

    def test_coverage(self, folder: Path) -> None:
        (folder / "scan.pdf").write_bytes(pdfs.document(pdfs.scan("nuclear power"), pdfs.text("second page")))
        reply = answer([folder], "coverage", document="scan.pdf", options={"ocr": "off"})
        assert (reply["complete"], reply["pages_total"], reply["pages_not_read_in_full"]) == (False, 2, [1])
        (kind,) = (kind for kind in reply["kinds"] if kind["may_hold_text"])
        assert kind["pages"] == [1]
        assert "ocr" in kind["remedy"]

    def test_verify_takes_no_more_time_than_the_server_allows(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        asked = {"document": "three.pdf", "justification": "saved.json"}
        for options, limits, says in (
            (
                {"document_seconds": 9999},
                Limits(),
                "it was made with document_seconds 9999, more than the 3600 s",
            ),
            ({"page_seconds": 300}, Limits(), "it was made with page_seconds 300, more than the 20 s"),
            ({}, Limits(document_seconds=2), "it was not done after the 2 s that this server allows"),
        ):
            found = docaudit.audit(THREE, ConceptTable.from_variants({"a": ["a"]}), ocr="off", **options)
            (folder / "saved.json").write_text(dump(found))
            with monkeypatch.context() as sabotage:
                sabotage.setattr(isolation, "WORKER", "tests.saboteurs")
                sabotage.setenv("DOCAUDIT_SABOTAGE", "hang:2")
                assert says in error([folder], "verify", limits, **asked)

    def test_verify_finds_a_changed_file(self, folder: Path) -> None:
        words = ["audit", str(folder / "power.pdf"), "--concepts", str(folder / "table.csv"), "--ocr", "off"]
        assert main([*words, "--out", str(folder / "out")]) == 0
        asked = {"justification": "out/justification.json", "document": "power.pdf"}
        assert answer([folder], "verify", **asked)["verified"] is True
        (folder / "power.pdf").write_bytes(THREE)
        assert answer([folder], "verify", **asked)["verified"] is False

    def test_list_files(self, folder: Path) -> None:
        docaudit.parse(READABLE, ocr="off").save(folder / "parsed")
        (folder / "empty.pdf").touch()
        (folder / "leak.pdf").symlink_to(folder.parent / "secret.pdf")
        reply = answer([folder], "list_files")
        assert [(one["path"], one["kind"]) for one in reply["files"]] == [
            ("broken.pdf", "pdf"),
            ("empty.pdf", "pdf"),
            ("power.pdf", "pdf"),
            ("table.csv", "table"),
            ("three.pdf", "pdf"),
            ("parsed", "saved_parse"),
        ]
        few = answer([folder], "list_files", contains="PDF", limit=2)
        assert ([one["path"] for one in few["files"]], few["more"]) == (["broken.pdf", "empty.pdf"], True)


class TestErrors:
    NO_FINDING = "This is an error, not a finding"

    @pytest.mark.parametrize(
        "path", ["../secret.pdf", "{top}/secret.pdf", "missing.pdf", "/etc/passwd", "a\0b", ""]
    )
    @pytest.mark.parametrize("argument", ["document", "concepts"])
    def test_paths_outside(self, folder: Path, path: str, argument: str) -> None:
        asked = {"document": "power.pdf", "concepts": "table.csv", argument: path.format(top=folder.parent)}
        said = error([folder], "audit", **asked)
        assert self.NO_FINDING in said
        assert "no such file below the folders" in said or path == ""

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ({"document": "broken.pdf"}, "DamagedDocumentError|NoPagesError"),
            ({"document": "table.csv"}, "NotAPdfError: table.csv: not a PDF"),
            ({"concepts": "power.pdf"}, "ConceptTableError: power.pdf: is not a concept table by its suffix"),
            ({"concepts": {}}, "ConceptTableError"),
            ({"concepts": {"a": []}}, "concept 'a': has no variant"),
            ({"concepts": [{"concept": "a", "variant": "(", "match": "regex"}]}, "ConceptTableError"),
            ({"concepts": [{"concept": "a", "variant": "b", "colour": "red"}]}, "colour"),
            ({"concepts": {"a": ["x"] * 20_001}}, "has 20,001 rows, and a call takes 20,000"),
            ({"concepts": 7}, "concepts.str\n +Input should be a valid string"),
            ({"question": "?!"}, "QuestionError"),
            ({"options": {"ocr": "maybe"}}, "options.ocr"),
            ({"options": {"waive": {"ink_read": "because"}}}, "Extra inputs are not permitted"),
            ({"options": {"explain_with": "model"}}, "Extra inputs are not permitted"),
            ({"options": {"page_seconds": 21}}, "page_seconds: 21 is more than the 20 s that this server allows"),
            ({"options": {"page_seconds": -1}}, "OptionError: option page_seconds"),
            ({"options": {"required": ["no such concept"]}}, "no such concept"),
            ({"ocr": "off"}, "Extra inputs are not permitted"),
        ],
    )  # fmt: skip
    def test_bad_input_is_named(self, folder: Path, arguments: dict[str, Any], said: str) -> None:
        message = error([folder], "audit", **{"document": "power.pdf", "concepts": "table.csv", **arguments})
        assert re.search(said, message), message
        assert len(message) < 5000

    def test_a_fault_of_docaudit_is_no_finding(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fails(*_: object, **__: object) -> None:
            raise ValueError(f"seen at {folder}")

        monkeypatch.setattr(sys.modules["docaudit.audit"], "run_controls", fails)
        said = error([folder], "audit", document="power.pdf", concepts="table.csv")
        assert said == "Error executing tool audit"

    def test_a_table_that_never_ends_is_not_searched_in_full(self, folder: Path) -> None:
        (folder / "a.pdf").write_bytes(pdfs.document(pdfs.text("x" * 400, size=2)))
        slow = [{"concept": "slow", "variant": r"(?:x+x+)+(?:x+x+)+(?:x+y?)+z", "match": "regex"}]
        reply = answer([folder], "audit", document="a.pdf", concepts=slow, detail="full")
        assert reply["finding"] == "not_established"
        assert reply["justification"]["ledger"][0]["state"] == "timed_out"

    def test_half_a_character_ends_nothing(self, folder: Path) -> None:
        said = error([folder], "audit", document="\ud800", concepts="table.csv")
        assert "no such file" in said
        odd = answer([folder], "audit", document="power.pdf", concepts={"\U0001f600": ["\U0001f600"]})
        assert odd["finding"] == "absent_within_coverage"

    def test_limits_of_the_server_stand_in_the_justification(self, folder: Path) -> None:
        limits = Limits(page_seconds=5, document_seconds=30)
        full = answer([folder], "audit", limits, document="power.pdf", concepts="table.csv", detail="full")
        options = full["justification"]["options"]
        assert [options[name] for name in ("page_seconds", "document_seconds", "sweep_seconds")] == [
            5,
            30,
            30,
        ]


class TestRunning:
    def test_calls_at_the_same_time_have_results_of_their_own(self, folder: Path) -> None:
        words = ["wind", "solar", "tariffs", "nuclear"]
        found: dict[str, str] = {}

        async def all_at_once(client: Any) -> None:
            async def one(word: str) -> None:
                asked = {"document": "power.pdf", "concepts": {word: [word]}}
                found[word] = (await client.call_tool("audit", asked)).structured_content["finding"]

            async with anyio.create_task_group() as group:
                for word in words:
                    group.start_soon(one, word)

        within(build_server(AllowedFolders([folder]), Limits(jobs=2)), all_at_once)
        assert found == {**dict.fromkeys(words[:3], "mentioned"), "nuclear": "absent_within_coverage"}

    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    def test_a_cancelled_call_ends_its_processes(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, mode: str
    ) -> None:
        monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
        monkeypatch.setenv("DOCAUDIT_SABOTAGE", "hang:2")
        server = build_server(AllowedFolders([folder]), Limits(page_seconds=300, jobs=1))
        within(server, cancelled_and_alive, mode=mode)

    def test_over_pipes_too_and_a_client_that_goes_leaves_nothing(self, folder: Path) -> None:
        before = children()
        server = StdioServerParameters(
            command=sys.executable,
            args=["-c", HANGING, "--page-seconds", "300", "--jobs", "1", str(folder)],
            env={**os.environ, "PYTHONPATH": str(HERE), "DOCAUDIT_SABOTAGE": "hang:2"},
        )

        async def leave(client: Any) -> None:
            await cancelled_and_alive(client)
            async with anyio.create_task_group() as group:
                group.start_soon(hang, client)
                await until(lambda: len(children() - before) == 3)  # server, fork server, and the page
                group.cancel_scope.cancel()

        within(server, leave)
        anyio.run(until, lambda: children() <= before)


async def until(state: Callable[[], bool]) -> None:
    with anyio.fail_after(SOON):
        while not state():
            await anyio.sleep(0.05)


async def hang(client: Any, heard: Callable[[], None] = lambda: None) -> None:
    """Audit a document whose second page never ends; `heard` is called at the first progress."""

    async def hear(*_: object) -> None:
        heard()

    asked = {"document": "three.pdf", "concepts": "table.csv", "options": {"page_seconds": 300, "ocr": "off"}}
    await client.call_tool("audit", asked, progress_callback=hear)
    pytest.fail("it came to an end")


async def cancelled_and_alive(client: Any) -> None:
    """Cancel a call that hangs; its processes end at once, its slot is free, and the server answers."""
    with anyio.CancelScope() as scope:
        await hang(client, scope.cancel)
    started = time.monotonic()
    listed = await client.call_tool("list_files", {})  # waits for the only slot
    assert not listed.is_error
    assert time.monotonic() - started < SOON


class TestHttp:
    @pytest.fixture
    def port(self) -> int:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return int(probe.getsockname()[1])

    def test_it_serves_this_machine_and_nobody_who_pretends(self, folder: Path, port: int) -> None:
        url = f"http://127.0.0.1:{port}/mcp"
        with subprocess.Popen(
            [sys.executable, "-m", "docaudit", "mcp", str(folder), "--http", str(port)],
            env={**os.environ, "PYTHONPATH": str(HERE)},
        ) as server:
            try:
                anyio.run(until, lambda: _listens(port))
                asked = {"document": "power.pdf", "concepts": "table.csv"}
                result = within(url, lambda client: client.call_tool("audit", asked))
                assert result.structured_content["finding"] == "absent_within_coverage"
                ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
                stranger = httpx.post(url, headers={"Host": "evil.example"}, json=ping)
                assert stranger.status_code == 421
            finally:
                server.terminate()

    def test_a_port_that_is_taken(self, folder: Path, port: int, capsys: pytest.CaptureFixture[str]) -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))
            taken.listen()
            assert main(["mcp", str(folder), "--http", str(port)]) == 2
        assert f"port {port} cannot be taken: Address already in use" in capsys.readouterr().err


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class TestPipes:
    def test_arguments_that_are_wrong_are_named_and_not_repeated(self, folder: Path) -> None:
        asked = {"document": "power.pdf", "concepts": {"a": ["wind"]}, "nothing": 1}
        message = error([folder], "audit", **asked, options={"password": "sesame"})
        assert "options.password" in message
        assert "Extra inputs are not permitted" in message
        assert "nothing" in message
        assert "sesame" not in message

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
    def test_told_to_end_during_a_call_it_ends_its_processes(self, folder: Path, how: signal.Signals) -> None:
        before = children()
        server = StdioServerParameters(
            command=sys.executable,
            args=["-c", HANGING, "--page-seconds", "300", str(folder)],
            env={**os.environ, "PYTHONPATH": str(HERE), "DOCAUDIT_SABOTAGE": "hang:2"},
        )

        async def end(client: Any) -> None:
            async def hang_until_closed() -> None:
                with suppress(MCPError):
                    await hang(client)

            async with anyio.create_task_group() as group:
                group.start_soon(hang_until_closed)
                await until(lambda: len(children() - before) == 3)  # server, fork server, and the page
                started = max(children() - before, key=lambda number: len(children(number)))
                os.kill(int(started), how)
                await until(lambda: children() <= before)
                group.cancel_scope.cancel()

        within(server, end)

    def test_ctrl_c_ends_it_at_once(self, folder: Path) -> None:
        before = children()
        with subprocess.Popen(
            [sys.executable, "-m", "docaudit", "mcp", str(folder)],
            env={**os.environ, "PYTHONPATH": str(HERE)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            server.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
            server.stdin.flush()
            assert json.loads(server.stdout.readline())["id"] == 1
            server.send_signal(signal.SIGINT)
            assert server.wait(SOON) == -signal.SIGINT  # standard input is open still
        assert children() <= before

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["missing"], "missing: no such folder (name a folder that exists)"),
            ([], "Missing argument"),
            (["."], "pip install"),
        ],
    )
    def test_a_wrong_start_is_one_line(
        self,
        arguments: list[str],
        said: str,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setitem(sys.modules, "docaudit.integrations.mcp", None)
        assert main(["mcp", *arguments]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert said in printed.err
        assert printed.err.count("\n") == 1
