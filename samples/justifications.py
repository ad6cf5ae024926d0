"""Write the whole justification of each question in questions.json into expected/justifications/.

What the samples hold is known from their generator (expected/*.json, which tests compare as well); this is the rest of
the evidence, word for word, so that no change of it goes unseen: `python samples/justifications.py` after a change that
is meant, then read the difference.

Another machine, with other versions of the engines, must get the same bytes. So what only tells how exactly an engine
measured is left out, by `normalised`:

    document.versions, digest      named by key, without the value
    boxes, shares of area and ink  only whether there is one
    controls                       layouts and witnesses; "all" or "some" in place of the counts of words
    evidence, detail               numbers as "#" in the evidence of ink_read, control_found, readers_agree, and in the
                                   details of blind spots (confidences, counts of regions and words)
    blind spots                    those that are then alike stand once
    coverage                       without the counts of words in which the two readers differ
    near misses                    without those that OCR may have read otherwise elsewhere: on pages without text layer
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import docaudit
from docaudit.justification import AbsenceJustification
from docaudit.saved import dump

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "expected" / "justifications"
_MEASURED = frozenset({"bbox", "area_share", "ink_read_share", "width_pt", "height_pt"})
_WORD_COUNTS = ("words_second_reader_only", "words_first_reader_only")
_COUNTED = frozenset({"ink_read", "control_found", "readers_agree"})


def normalised(justification: AbsenceJustification) -> str:
    """The saved form without what depends on the machine."""
    data: dict[str, Any] = json.loads(dump(justification))
    data["digest"] = ""
    data["document"]["versions"] = sorted(data["document"]["versions"])
    for name in _WORD_COUNTS:
        del data["coverage"][name]
    for group in data["controls"]:
        group["tried"], group["found"] = "some", "all" if group["found"] == group["tried"] else "some"
    for check in (*data["obligations"], *data["unmet"]):
        if check["obligation"] in _COUNTED:
            check["evidence"] = _without_numbers(check["evidence"])
    for spot in data["blind_spots"]:
        spot["detail"] = _without_numbers(spot["detail"])
    data["blind_spots"] = _once(_unmeasured(data["blind_spots"]))
    pictures = {page["page_num"] for page in data["pages"] if page["state"] == "image_only"}
    data["near_misses"] = [miss for miss in data["near_misses"] if miss["page_num"] not in pictures]
    return json.dumps(_unmeasured(data), ensure_ascii=False, indent=1) + "\n"


def _once(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({json.dumps(row): row for row in rows}.values())


def _without_numbers(text: str) -> str:
    return re.sub(r"\d+(?:[.,]\d+)*", "#", text)


def _unmeasured(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: ("measured" if part is not None else None) if key in _MEASURED else _unmeasured(part)
            for key, part in value.items()
        }
    return [_unmeasured(part) for part in value] if isinstance(value, list) else value


def main() -> int:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    parsed: dict[str, docaudit.ParsedDocument] = {}
    for row in json.loads((HERE / "questions.json").read_text("utf-8")):
        name = row["document"]
        if name not in parsed:
            parsed[name] = docaudit.parse(HERE / name)
        table = docaudit.ConceptTable.load(HERE / row["table"])
        finding = docaudit.audit(parsed[name], table, question=row["question"])
        file = FOLDER / Path(row["expected"]).name
        file.write_text(normalised(finding), "utf-8")
        print(file.name, finding.finding.value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
