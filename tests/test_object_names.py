"""Every way to name an object is seen, also by the quick look that comes before the long patterns."""

from __future__ import annotations

import pytest

from docaudit.extract.named_objects import mentions

NAMED = {
    "figure": "Figure 3|Figs. 3|FIG. 3",
    "table": "table 3|TABLES 3",
    "box": "Box 3|boxes 3",
    "chart": "CHART 3",
    "map": "Map 3",
    "appendix": "Appendices 3|附録2",
    "annex": "annex B",
    "exhibit": "Exhibit 10.4",
    "schedule": "SCHEDULE 3",
    "section": "Sec. 3|§3|§§ 3",
    "chapter": "Chapter 3",
    "part": "Part III",
    "article": "Article 3",
    "item": "ITEM 7A",
    "note": "Notes 3",
    "equation": "Eq. 3",
    "図": "図3",
    "表": "表３",
    "別紙": "別紙2",
    "別表": "別表1",
    "付図": "付図1",
    "様式": "様式3",
    "資料": "資料4",
    "写真": "写真5",
    "条": "第3条",
}


@pytest.mark.parametrize(
    ("text", "name"), [(text, name) for name in NAMED for text in NAMED[name].split("|")]
)
def test_each_name(text: str, name: str) -> None:
    assert [mention.object_type for mention in mentions(f"see {text} for more")] == [name]
