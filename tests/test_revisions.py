"""Earlier revisions: named where they say something that is gone, told as harmless where not, read when asked for."""

from __future__ import annotations

import pikepdf
import pymupdf
import pytest

import docaudit
from docaudit.document import ParsedDocument
from docaudit.extract.revisions import revision_ends
from tests import pdfs
from tests.conftest import parse_once

THREE = pdfs.document(pdfs.text(*pdfs.PROSE), pdfs.text("second page"), pdfs.text("third page"))
LINEARISED = pdfs.changed(THREE, lambda pdf: None, linearize=True)
PACKED = pdfs.changed(THREE, lambda pdf: None, object_stream_mode=pikepdf.ObjectStreamMode.generate)
NEW = "The harbour authority published nothing"


def spots(data: bytes, **options: object) -> list[list[object]]:
    return parse_once(data, **options).blind_spot_df[["page_num", "kind", "text_likely"]].values.tolist()


def old_lines(parsed: ParsedDocument) -> list[list[object]]:
    lines = parsed.line_df[parsed.line_df["source"] == "earlier_revision"]
    return lines[["page_num", "text", "visibility", "part", "part_page"]].values.tolist()


@pytest.mark.parametrize("data", [THREE, LINEARISED, PACKED], ids=["plain", "linearised", "object streams"])
class TestOneRevision:
    def test_is_no_earlier_one(self, data: bytes) -> None:
        assert spots(data) == []
        assert len(revision_ends(data)) == 1

    def test_page_that_says_something_else_now(self, data: bytes) -> None:
        assert spots(pdfs.rewritten(data, NEW)) == [[1, "earlier_revision", "unknown"]]

    def test_a_signature_takes_nothing_away(self, data: bytes) -> None:
        parsed = parse_once(pdfs.signed(data))
        assert spots(pdfs.signed(data)) == [[0, "earlier_revision", "no"]]
        assert "only adds a signature" in parsed.blind_spot_df["detail"][0]
        assert docaudit.audit(parsed, docaudit.ConceptTable.from_variants({"x": ["zirconium"]})).finding == (
            "absent_within_coverage"
        )


def test_a_pdf_inside_the_file_is_no_revision_of_it() -> None:
    inner = pdfs.updated(THREE, 1, "more words")
    doc = pdfs.with_files(("inner.pdf", inner))
    loose = pdfs.changed(doc, lambda pdf: None, stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
                         compress_streams=False)  # fmt: skip
    assert loose.count(b"%%EOF") == 3
    assert len(revision_ends(loose)) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda doc: doc.delete_page(1),
        lambda doc: doc.set_metadata({"title": "another title"}),
        lambda doc: doc.set_toc([[1, "another mark", 1]]),
    ],
    ids=["page", "title", "bookmark"],
)
def test_what_is_taken_away_beside_the_pages_is_not_harmless(change: object) -> None:
    def titled(doc: pymupdf.Document) -> None:
        doc.set_metadata({"title": "first title"})
        doc.set_toc([[1, "first mark", 1]])

    first = pdfs.document(pdfs.text("one"), pdfs.text("two"), finish=titled)
    assert [0, "earlier_revision", "unknown"] in spots(pdfs.appended(first, change))  # type: ignore[arg-type]


class TestRead:
    DATA = pdfs.rewritten(THREE, NEW, *pdfs.PROSE[1:])

    def test_only_what_is_gone_is_a_hit(self) -> None:
        parsed = parse_once(self.DATA, revisions=True)
        table = docaudit.ConceptTable.from_variants({"gone": ["yearly statement"], "kept": ["northern quay"]})
        hits = {hit.concept: hit for hit in docaudit.audit(parsed, table).hits}
        gone, kept = hits["gone"], hits["kept"]
        assert len(hits) == len(docaudit.audit(parsed, table).hits)
        assert (gone.page_num, gone.source, gone.visibility, gone.part, gone.part_page) == (
            1, "earlier_revision", "replaced", "earlier revision 1 of 1", 1)  # fmt: skip
        assert (kept.page_num, kept.source, kept.part) == (1, "text_layer", "")

    def test_phrase_from_a_line_that_stays_into_one_that_is_gone(self) -> None:
        first = pdfs.document(pdfs.text("we announce a price", "cut of five percent"))
        data = pdfs.rewritten(first, "we announce a price", "rise of ten percent")
        parsed = parse_once(data, revisions=True)
        table = docaudit.ConceptTable.from_variants({"cut": ["price cut"], "rise": ["price rise"]})
        assert [(hit.concept, hit.source) for hit in docaudit.audit(parsed, table).hits] == [
            ("rise", "text_layer"),
            ("cut", "earlier_revision"),
        ]

    def test_the_blind_spot_is_gone(self) -> None:
        assert spots(self.DATA, revisions=True) == []
        assert spots(pdfs.signed(THREE), revisions=True) == []

    def test_lines_of_two_earlier_revisions_once_each(self) -> None:
        data = pdfs.rewritten(pdfs.rewritten(THREE, "second wording"), "third wording")
        gone = [row for row in old_lines(parse_once(data, revisions=True)) if row[2] == "replaced"]
        first = [[1, line, "replaced", "earlier revision 1 of 2", 1] for line in pdfs.PROSE]
        second = [[1, "second wording", "replaced", "earlier revision 2 of 2", 1]]
        assert sorted(gone) == sorted(first + second)

    def test_page_that_was_taken_out(self) -> None:
        data = pdfs.appended(THREE, lambda doc: doc.delete_page(1))
        assert [row[1] for row in old_lines(parse_once(data, revisions=True))] == ["second page"]

    def test_title_that_was_changed(self) -> None:
        titled = pdfs.document(
            pdfs.text("one"), finish=lambda doc: doc.set_metadata({"title": "first title"})
        )
        data = pdfs.appended(titled, lambda doc: doc.set_metadata({"title": "second title"}))
        assert [row[:3] for row in old_lines(parse_once(data, revisions=True))] == [
            [0, "first title", "replaced"]
        ]

    def test_picture_that_was_replaced_stays_a_blind_spot(self) -> None:
        first = pdfs.document(pdfs.scan("zirconium in a scan"))
        data = pdfs.rewritten(first, "now text")
        (spot,) = spots(data, revisions=True)
        assert spot == [1, "earlier_revision", "yes"]

    def test_attachment_that_was_taken_out(self) -> None:
        data = pdfs.appended(pdfs.with_files(("a.txt", b"attached words")), lambda doc: doc.embfile_del(0))
        parsed = parse_once(data, revisions=True)
        found = parsed.line_df[parsed.line_df["text"] == "attached words"]
        assert (
            len(found) == 1
        )  # its bytes are in the file to this day, and the present revision does not name them

    def test_with_a_password(self) -> None:
        locked = pdfs.encrypted(THREE, user="sesame")

        def change(doc: pymupdf.Document) -> None:
            doc.authenticate("sesame")
            doc.update_stream(doc[0].get_contents()[0], b"BT /helv 11 Tf 72 700 Td (new) Tj ET")

        data = pdfs.appended(locked, change)
        parsed = parse_once(data, revisions=True, password="sesame")
        assert pdfs.PROSE[0] in [row[1] for row in old_lines(parsed)]
