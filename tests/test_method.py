"""`make method`: every published number is computed again, and a number that differs is not passed over."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = ROOT / "bench" / "method.py"


def run(script: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)


def test_no_number_differs() -> None:
    done = run(SCRIPT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 differ" in done.stdout
    items = {line.split()[0] for line in done.stdout.splitlines() if line[:1] == "E"}
    assert {"E6", "E7", "E9", "E14", "E17", "E18", "E19", "E33", "E38", "E44", "E47"} <= items
    assert all(f"- {name}" in done.stdout for name in ("C4", "The ledger behind E33"))


def test_a_number_that_differs_is_the_exit_code(tmp_path: Path) -> None:
    changed = 0
    for file in SCRIPT.parent.glob("method*.py"):
        said = file.read_text(encoding="utf-8")
        changed += said.count('"51 of 60 = 85.00 %"')
        other = said.replace('"51 of 60 = 85.00 %"', '"52 of 60 = 86.67 %"')
        other = other.replace("Path(__file__).resolve().parent.parent", f"Path({str(ROOT)!r})")
        (tmp_path / file.name).write_text(other, encoding="utf-8")
    assert changed == 1
    done = run(tmp_path / "method.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert " 1 differ" in done.stdout
