"""docs/serve.md runs as it stands, against a real server: each curl command, and the program."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import BLOCKS
from tests.servers import HERE, Server, serving

pytest.importorskip("fastapi", reason="the extra serve is not installed")
from docaudit.integrations.http import OPTIONS, ServeSettings

pytestmark = pytest.mark.slow

PAGE = (HERE / "docs" / "serve.md").read_text("utf-8")
PLACE = "http://127.0.0.1:8000"


START, ASK, PROGRAM = (one.code for one in BLOCKS if one.page == "docs/serve.md")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    # As the page starts it, but for the port and the folder.
    command = START.split()
    assert command[:2] == ["docaudit", "serve"]
    flags = [part if part.startswith("--") else str(HERE / part) for part in command[2:]]
    with serving(tmp_path_factory.mktemp("docs") / "tmp", *flags) as server:
        yield server


@pytest.mark.slow
def test_the_commands(server: Server, tmp_path: Path) -> None:
    if shutil.which("curl") is None and os.environ.get("CI") != "true":
        pytest.skip("curl is not installed")
    (tmp_path / "samples").symlink_to(HERE / "samples")
    for line in ASK.replace(PLACE, server.address).splitlines():
        subprocess.run(["sh", "-c", f"{line} --fail-with-body --noproxy '*'"], cwd=tmp_path, check=True)
    finding = json.loads((tmp_path / "finding.json").read_text("utf-8"))
    assert finding["document"]["name"] == "scanned-annex-report.pdf"
    assert "<h1>" in (tmp_path / "report.html").read_text("utf-8")
    (covered,) = json.loads((tmp_path / "coverage.json").read_text("utf-8"))["documents"]
    assert covered["document"]["sha256"] == finding["document"]["sha256"]
    assert json.loads((tmp_path / "hits.json").read_text("utf-8"))["document"] == "scanned-annex-report.pdf"
    assert json.loads((tmp_path / "ready.json").read_text("utf-8"))["status"] == "ready"


def test_the_program(server: Server) -> None:
    exec(compile(PROGRAM.replace(PLACE, server.address), "docs/serve.md", "exec"), {})


def test_tables_of_the_page_are_complete() -> None:
    assert f"options as JSON: {', '.join(OPTIONS)} |" in PAGE
    limits = dict(re.findall(r"^\| `--([\w-]+)` \| (\d+) \|", PAGE, re.MULTILINE))
    defaults = {name.replace("-", "_"): float(value) for name, value in limits.items()}
    assert defaults == {name: ServeSettings.model_fields[name].default for name in defaults}
    assert len(defaults) == 7
