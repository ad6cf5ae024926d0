"""The HTML form: escaped, complete, self-contained, and with an order that assistive technology can follow."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from docaudit.codes import LedgerState
from docaudit.concepts.model import ConceptTable
from docaudit.justification import LedgerRow
from docaudit.render.html import to_html
from tests.factories import absent, hit, japanese, meeting, mentioned, near_miss, not_established, spot

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg onload=alert(3)> {{ 7*7 }} electricity"
VOID = {"meta", "link", "br", "img", "input", "hr"}
MAKERS = [absent, not_established, mentioned, meeting, japanese]


class Page(HTMLParser):
    """Elements, attributes and text; raises if elements are not closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())


def evil():
    table = ConceptTable.from_variants({EVIL: [EVIL]})
    row = LedgerRow(
        concept=EVIL,
        variant=EVIL,
        pattern=EVIL,
        state=LedgerState.FAILED,
        pages_searched=1,
        pages_not_searchable=0,
        hits=0,
        pages_with_hits=0,
        unique_hits=0,
        detail=EVIL,
    )
    document = absent().document
    assert document is not None
    return absent(
        question=EVIL,
        absence_explanation=EVIL,
        model_remark=EVIL,
        concept_table=table,
        ledger=(row,),
        concept_hits={EVIL: 0},
        concept_pages={EVIL: ()},
        required=(EVIL,),
        hits=(hit(snippet=EVIL, section=EVIL, concept=EVIL, variant=EVIL),),
        near_misses=(near_miss(snippet=EVIL, text=EVIL, why_not=EVIL, concept=EVIL, variant=EVIL),),
        closest_mentions=(near_miss(kind="pair", snippet=EVIL, text=EVIL, why_not=EVIL),),
        blind_spots=(spot(3, detail=EVIL),),
        document=document.model_copy(update={"name": EVIL, "versions": {EVIL: EVIL}}),
    )


@pytest.mark.parametrize("make", [*MAKERS, evil])
def test_nothing_runs_and_nothing_is_loaded(make) -> None:
    page = Page(to_html(make()))
    names = {tag for tag, _ in page.tags}
    assert not names & {
        "script",
        "iframe",
        "object",
        "embed",
        "link",
        "base",
        "form",
        "video",
        "image",
        "use",
    }
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("srcset", "action")]
        assert (attributes.get("href") or "#").startswith("#")
        assert (attributes.get("src") or "data:image/jpeg;base64,").startswith("data:image/jpeg;base64,")
        assert tag != "img" or attributes["alt"]


def test_no_url_in_the_styles() -> None:
    style = re.search(r"<style>(.*?)</style>", to_html(absent()), re.DOTALL)
    assert style is not None
    assert not re.search(r"url\(|@import|https?:", style[1])


def test_untrusted_text_is_shown_as_text() -> None:
    html = to_html(evil())
    assert "<script" not in html
    assert "49 electricity" not in html
    shown = " ".join(EVIL.split())
    # question, sentence, snippet of the hit, ledger, concept table, blind spot, document, version
    assert Page(html).words.count(shown) >= 8


def test_control_characters_and_overrides_are_made_visible() -> None:
    html = to_html(absent(hits=(hit(snippet="a\x00b\x1b[31m electricity \u202egpj.exe"),)))
    assert not re.search("[\x00-\x08\x0b-\x1f\u202e]", html)
    assert "a\ufffdb\ufffd[31m" in html


def test_the_finding_comes_first_and_is_the_only_h1() -> None:
    page = Page(to_html(not_established()))
    headings = [tag for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert headings[0] == "h1"
    assert headings.count("h1") == 1
    # No level is skipped on the way down.
    assert all(int(b[1]) - int(a[1]) <= 1 for a, b in pairwise(headings))
    assert page.words.index("Not established") < page.words.index("Question")


@pytest.mark.parametrize("make", MAKERS)
def test_everything_is_listed(make) -> None:
    justification = make()
    page = Page(to_html(justification, "en"))
    words = page.words
    for one in justification.hits:
        assert " ".join(one.snippet.split()) in words
    for spot_ in justification.blind_spots:
        place = f"page {spot_.page_num}" if spot_.page_num else "document"
        assert f"{place} {spot_.detail}" in words
    for check in justification.obligations:
        assert check.evidence in words
    for row in justification.ledger:
        assert row.pattern in words
    assert justification.concept_table_fingerprint in words
    assert justification.document.sha256 in words
    cells = [a for tag, a in page.tags if tag == "li" and "cell" in (a.get("class") or "")]
    assert len(cells) == justification.document.pages_total


def test_a_thousand_blind_spots_are_all_listed() -> None:
    spots = tuple(spot(page % 64 + 1, detail=f"image number {page};") for page in range(1000))
    words = Page(to_html(absent(blind_spots=spots))).words
    assert all(f"image number {page};" in words for page in range(1000))


def test_hits_are_marked_in_their_verbatim_snippet() -> None:
    html = to_html(mentioned(hits=(hit(snippet="rising\nelectri-\ncity use", match_text="electri-\ncity"),)))
    assert "rising\n<mark>electri-\ncity</mark> use" in html


def test_pages_of_the_strip_say_their_state_in_words() -> None:
    words = Page(to_html(not_established())).words
    assert "page 58: not read; 1 blind spot" in words
    assert "page 30: a part was not read; 3 hits; 1 blind spot" in words
    assert "page 31: read; 4 hits" in words


def test_language_and_tables_are_declared() -> None:
    page = Page(to_html(japanese()))
    assert ("html", {"lang": "ja"}) in page.tags
    assert any(a.get("lang") == "en" for tag, a in page.tags if tag == "span")
    english = Page(to_html(japanese(), "en"))
    assert ("html", {"lang": "en"}) in english.tags
    assert any(a.get("lang") == "ja" for tag, a in english.tags if tag == "p")
    assert all("scope" in a for tag, a in page.tags if tag == "th")
    labels = {a["aria-labelledby"] for _, a in page.tags if "aria-labelledby" in a}
    assert labels <= {a.get("id") for _, a in page.tags}


def test_same_bytes_each_time() -> None:
    assert to_html(not_established()) == to_html(not_established())


def test_blind_spots_of_a_page_are_folded_and_each_stays_in_the_document() -> None:
    many = tuple(
        spot(page, detail=f"picture {number} of page {page}") for page in (3, 7) for number in range(40)
    )
    page = Page(to_html(not_established(blind_spots=(*many, spot(9, detail="the only one")))))
    for item in (*many, spot(9, detail="the only one")):
        assert page.words.count(item.detail) == 1
    assert "page 3 40 blind spots" in page.words
    assert "page 9 1 blind spot" not in page.words  # one alone needs no fold
    folds = [attributes for tag, attributes in page.tags if tag == "details"]
    assert sum("open" not in attributes for attributes in folds) >= 2
