"""What is true of each sample, known from the way it was made and not from any auditor.

Objects, contents entries and references are counted by the typesetter while it sets the document. Hits are
stated here by the author of the text, with the physical pages; check_samples.py counts them a second time.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

KINDS = ("figure", "table", "box", "appendix", "annex")

STATED: dict[str, dict[str, Any]] = {
    "commodity-report.ai-power": {
        "finding": "absent_within_coverage",
        "reason": "concept_not_found",
        "exit_code": 0,
        "concept_hits": {"AI": 0, "data center": 0, "electricity": 7},
        "hit_pages": {"AI": {}, "data center": {}, "electricity": {"18": 2, "19": 5}},
    },
    "commodity-report.electricity": {
        "finding": "mentioned",
        "reason": None,
        "exit_code": 1,
        "concept_hits": {"electricity": 7},
        "hit_pages": {"electricity": {"18": 2, "19": 5}},
    },
    "jp-policy.jp-policy": {
        "finding": "absent_within_coverage",
        "reason": "concept_not_found",
        "exit_code": 0,
        # 40 on the pages; one more each in the bookmark of 別紙1, in the title of the file (page "0") and in what the
        # link to 別紙1 on page 2 says of itself
        "concept_hits": {"AI": 43, "電力": 0},
        "hits_in_links": {"AI": {"2": 1}},
        "hit_pages": {
            "AI": {"0": 2, "1": 1, "2": 3, "3": 9, "4": 5, "5": 5, "6": 2, "7": 3, "8": 3, "9": 2, "10": 5, "11": 3},
            "電力": {},
        },
        "vertical_pages": [10, 11],
    },
    "scanned-annex-report.scanned-annex-report": {
        "finding": "not_established",
        "reason": "concept_not_found",
        "exit_code": 3,
        "concept_hits": {"radon": 0},
        "hit_pages": {"radon": {}},
        "scanned_pages": [9, 10, 11],
        "unreadable_pages": [11],
        "answer_for_a_person": "Page 11, handwritten: 680 Bq/m3 in the archive store, limit 300.",
    },
}
PAGES = {"commodity-report": 60, "jp-policy": 11, "scanned-annex-report": 11}


def write(out: Path, facts: dict[str, dict[str, Any]]) -> None:
    """One file per document and table, in the folder ``expected``."""
    (out / "expected").mkdir(exist_ok=True)
    for name, stated in STATED.items():
        document, table = name.split(".")
        known = facts[document]
        record = {
            "document": f"{document}.pdf",
            "table": f"{table}.csv",
            **stated,
            "pages_total": PAGES[document],
            "contents_entries": known["contents_entries"],
            "objects": {kind: len(known["objects"].get(kind, [])) for kind in KINDS},
            "linked_references": known["references"],
            "unresolved_references": 0,
        }
        text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
        (out / "expected" / f"{name}.json").write_text(text, encoding="utf-8")
