"""What stands in for a page that could not be read, or only in part: a record and the reason, never a gap."""

from __future__ import annotations

from docaudit.extract.facts import PageFact, SpotFact
from docaudit.location import PageState, TextLikely
from docaudit.reasons import BlindSpotKind


def lost_page(page_num: int, kind: BlindSpotKind, detail: str) -> PageFact:
    """The record of a page that could not be read."""
    spot = SpotFact(kind=kind.value, text_likely=TextLikely.UNKNOWN.value, detail=detail, area_share=1.0)
    return PageFact(
        page_num=page_num,
        label="",
        width=0.0,
        height=0.0,
        rotation=0,
        state=PageState.FAILED.value,
        lines=[],
        images=[],
        spots=[spot],
        warnings=detail,
    )


def unrendered_spot(kind: BlindSpotKind, detail: str) -> SpotFact:
    """The blind spot of a page whose text was read but of which no picture could be made."""
    said = f"rendering it: {detail}; its text was read"
    return SpotFact(kind.value, TextLikely.UNKNOWN.value, said, None, 1.0)
