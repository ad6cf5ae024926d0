"""Write samples/refusals.jsonl: 139 judged questions, built to the counts that a published case gives.

Published are 139 logs, 36 of them judged "insufficient", 8 of these without an answer in the material, 28 with one, and
the four patterns of the 28. The logs themselves are not published: questions, candidates, grades and how the 28 fall on
the patterns (seven each) are ours. Nobody looked at the material behind the other 103; they are labelled unverified.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "refusals.jsonl"
ALL = ["subject", "wanted_result", "conditions", "procedure"]
DEVICES = ["printer", "scanner", "phone", "tablet", "badge reader", "projector", "router"]

PATTERNS = {
    "general_procedure_only": (
        "How do I enter the value 4711 in the {0}?",
        [("how values are entered in a {0}", ["subject", "wanted_result", "procedure"])],
    ),
    "limitation_stated": (
        "How do I register many users of the {0} at once?",
        [("the {0} has no bulk registration", ["subject", "conditions", "procedure"])],
    ),
    "requirements_split": (
        "How do I lend the {0}, and what does a lost one cost?",
        [
            ("how a {0} is lent", ["subject", "procedure"]),
            ("what a lost {0} costs", ["subject", "wanted_result", "conditions"]),
        ],
    ),
    "confirmation_question": (
        "Is it right that the {0} is locked after an hour?",
        [("after 60 minutes the {0} is locked", ["subject", "conditions", "procedure"])],
    ),
}
ABSENT = [("other_topic", "{0} of another maker"), ("request_not_covered", "warranty of the {0}")]
WRONG_CODE = ("other_error", "error E12 of the {0}")


def candidate(name: str, text: str, supports: list[str], ground: str | None = None) -> dict[str, Any]:
    """One candidate; a ground stands against it."""
    return {"doc_id": name, "text": text, "ground": ground, "supports": supports, "relevant": ground is None}


def row(number: int, query: str, candidates: list[dict[str, Any]], **known: Any) -> dict[str, Any]:
    """One log."""
    return {"graded": {"id": f"L{number:03}", "query": query, "candidates": candidates}, **known}


def rows() -> list[dict[str, Any]]:
    """All logs."""
    made: list[dict[str, Any]] = []
    for pattern, (query, texts) in PATTERNS.items():
        for device in DEVICES:
            found = [candidate(f"D{at}", text.format(device), has) for at, (text, has) in enumerate(texts, 1)]
            found.append(candidate("D9", f"colours of the {device}", ["subject"], "request_not_covered"))
            made.append(row(len(made) + 1, query.format(device), found, evidence="present", pattern=pattern))
    for at in range(8):
        device = DEVICES[at % len(DEVICES)]
        grounds = [*ABSENT, WRONG_CODE] if at % 2 else ABSENT
        found = [
            candidate(f"D{place}", text.format(device), ["subject"] if place > 1 else [], ground)
            for place, (ground, text) in enumerate(grounds, 1)
        ]
        made.append(
            row(len(made) + 1, f"What does error E{40 + at} of the {device} mean?", found, evidence="absent")
        )
    while len(made) < 139:
        device = DEVICES[len(made) % len(DEVICES)]
        found = [candidate("D1", f"manual of the {device}, chapter {len(made)}", ALL)]
        query = f"How is the {device} set up according to chapter {len(made)}?"
        made.append(row(len(made) + 1, query, found, evidence="unverified"))
    return made


def text() -> str:
    """The content of the file."""
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows())


if __name__ == "__main__":
    FILE.write_text(text(), "utf-8")
