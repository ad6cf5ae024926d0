"""Published numbers of the methods that docaudit follows, each recomputed by docaudit from rows.

    make method

Prints one row for each number: item, what it is, published, computed, and what it was computed from. The exit code is
1 if one of them differs. What cannot be reproduced is listed below the table, with the reason.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

# The rows that the tests use are used here, too.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from method_evaluators import rows as evaluators
from method_gate import answers, experiment, gate, ledger, single_examples
from method_row import Row

NOT_REPRODUCED = (
    (
        "C4 (63 pages, 426 images, 9 outline entries, 76 cross-references, 7,829 lines) and C15 (AI 0, data center 0, "
        "electricity 7 on pages 30-31, no meeting): the report (hdl.handle.net/10986/43036) is not in this project. "
        "samples/commodity-report.pdf was made to resemble it and shows nothing about those counts."
    ),
    (
        "The ledger behind E33: only counts and ratios are published. samples/ledger was built to them, so E33 shows "
        "that the ratios follow from rows, not that the published evaluation took place as described."
    ),
    (
        "The 100 questions behind E6 and E7: their author calls them invented. These rows, too, were built to the "
        "published counts."
    ),
    (
        "The 139 logs behind E47: only counts are published; samples/refusals.jsonl was built to them. The sources of "
        "E38 and E44 give a rule and no example: what is called published there follows from the rule by hand."
    ),
)


ITEMS: tuple[Callable[[], Iterator[Row]], ...] = (
    gate,
    answers,
    single_examples,
    experiment,
    evaluators,
    ledger,
)


def main() -> int:
    """Print the table; 1 if a number differs from the published one."""
    rows = [row for item in ITEMS for row in item()]
    table = Table(box=None, pad_edge=False)
    for name in ("item", "number", "published", "computed", "", "from"):
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(row.item, row.what, row.expected, row.got or "-", row.state, row.source)
    Console(width=None if sys.stdout.isatty() else 160, highlight=False).print(table)
    states = [row.state for row in rows]
    print(f"\n{len(rows)} numbers: {states.count('same')} the same, {states.count('DIFFERS')} differ, "
          f"{states.count('not run')} not run")  # fmt: skip
    print("\nNot reproduced:")
    for reason in NOT_REPRODUCED:
        print(f"- {reason}")
    return int("DIFFERS" in states)


if __name__ == "__main__":
    sys.exit(main())
