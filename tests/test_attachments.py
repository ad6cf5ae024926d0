"""Attachments are read as documents of their own and say where they stand; what is not read is said, with its limit."""

from __future__ import annotations

import zlib

import pikepdf
import pymupdf
import pytest

import docaudit
from docaudit.document import ParsedDocument
from docaudit.extract import attachments, isolation
from docaudit.justification import Hit
from tests import pdfs
from tests.conftest import parse_once

SIDE = pdfs.document(pdfs.text("The side", "letter is signed."), pdfs.text("annex to", "it"))


def hits(data: bytes, *variants: str, **options: object) -> list[Hit]:
    table = docaudit.ConceptTable.from_variants({variant: [variant] for variant in variants})
    return list(docaudit.audit(parse_once(data, **options), table).hits)


def unread(parsed: ParsedDocument) -> list[str]:
    spots = parsed.blind_spot_df
    return spots.loc[spots["text_likely"] != "no", "detail"].tolist()


def texts(data: bytes, part: str) -> list[str]:
    lines = parse_once(data).line_df
    return lines.loc[lines["part"] == f"attachment {part}", "text"].tolist()


class TestPdf:
    DATA = pdfs.with_files(("side.pdf", SIDE))

    def test_a_hit_says_where_it_stands(self) -> None:
        (hit,) = hits(self.DATA, "side letter")
        assert (hit.page_num, hit.source, hit.part, hit.part_page) == (
            0,
            "attachment",
            "attachment side.pdf",
            1,
        )
        assert hit.match_text == "side\nletter"
        assert hit.section == ""

    def test_nothing_is_left_unread(self) -> None:
        assert unread(parse_once(self.DATA)) == []
        table = docaudit.ConceptTable.from_variants({"x": ["zirconium"]})
        assert docaudit.audit(parse_once(self.DATA), table).finding == "absent_within_coverage"

    def test_phrases_do_not_run_on_into_another_file(self) -> None:
        data = pdfs.with_files(
            ("a.pdf", pdfs.document(pdfs.text("alpha"))),
            ("b.pdf", pdfs.document(pdfs.text("beta"))),
            ("c.txt", b"gamma"),
            ("d.txt", b"delta"),
            first=pdfs.text("zulu"),
        )
        pairs = ("zulu alpha", "alpha beta", "beta gamma", "gamma delta", "council alpha")
        assert hits(data, *pairs) == []

    def test_concepts_meet_on_a_page_of_an_attachment_and_not_across_files(self) -> None:
        table = docaudit.ConceptTable.from_variants({"a": ["alpha"], "b": ["beta"]})
        together = pdfs.with_files(("a.pdf", pdfs.document(pdfs.text("alpha", "and", "beta"))))
        apart = pdfs.with_files(("a.txt", b"alpha"), ("b.txt", b"beta"))
        assert docaudit.audit(parse_once(together), table).finding == "mentioned"
        assert docaudit.audit(parse_once(apart), table).finding == "absent_within_coverage"

    def test_its_blind_spots_are_those_of_the_document(self) -> None:
        data = pdfs.with_files(("scan.pdf", pdfs.document(pdfs.text("x"), pdfs.scan("zirconium in a scan"))))
        spots = parse_once(data).blind_spot_df
        assert spots[["page_num", "kind"]].values.tolist() == [[0, "image_only_page"]]
        assert spots["detail"][0].startswith("attachment scan.pdf, page 2: ")

    def test_one_that_is_encrypted_is_said(self) -> None:
        data = pdfs.with_files(("locked.pdf", pdfs.encrypted(SIDE, user="sesame")))
        assert unread(parse_once(data)) == ["attachment locked.pdf: it is encrypted and needs a password"]

    def test_one_that_is_damaged_is_said(self) -> None:
        data = pdfs.with_files(("broken.pdf", b"%PDF-1.7\nnothing in it"))
        (detail,) = unread(parse_once(data))
        assert detail.startswith("attachment broken.pdf: ")

    def test_comments_in_it_do_not_run_into_its_text(self) -> None:
        def noted(page: pymupdf.Page) -> None:
            pdfs.write(page, ["last words"])
            page.add_text_annot((400, 100), "sticky remark")

        data = pdfs.with_files(("a.pdf", pdfs.document(noted)))
        assert [hit.part_page for hit in hits(data, "sticky remark")] == [1]
        assert hits(data, "words sticky") == []


class TestText:
    @pytest.mark.parametrize(
        ("name", "data", "rows"),
        [
            ("a.txt", b"one\r\ntwo", ["one", "two"]),
            ("a.csv", "größe;länge".encode(), ["größe;länge"]),
            ("a.json", b'{"key": "value"}', ['{"key": "value"}']),
            ("utf16.txt", "zwölf".encode("utf-16"), ["zwölf"]),
            (
                "a.html",
                b"<html><script>no()</script><p>a <b>bo</b>ld</p><p>next</p></html>",
                ["a bold", "next"],
            ),
            ("a.xml", b"<?xml version='1.0'?><r unit='kg'><n>name</n><v>5</v></r>", ["kg", "name", "5"]),
            ("a.rtf", rb"{\rtf1\ansi hello {\b bold} words\par next}", ["hello bold words", "next"]),
            ("nameless", b"plain words", ["plain words"]),
        ],
    )
    def test_rows(self, name: str, data: bytes, rows: list[str]) -> None:
        file = pdfs.with_files((name, data))
        assert texts(file, name) == rows
        assert unread(parse_once(file)) == []

    def test_mail(self) -> None:
        mail = (
            b"From: a@example.org\nSubject: =?utf-8?q?gr=C3=B6=C3=9Fe?=\nMIME-Version: 1.0\n"
            b"Content-Type: multipart/mixed; boundary=X\n\n--X\nContent-Type: text/plain\n\nbody words\n"
            b"--X\nContent-Type: application/zip\nContent-Disposition: attachment; filename=b.zip\n\nPK\n--X--\n"
        )
        file = pdfs.with_files(("m.eml", mail))
        assert {"From: a@example.org", "Subject: größe", "body words", "b.zip"} <= set(texts(file, "m.eml"))
        assert unread(parse_once(file)) == ["attachment m.eml: not read in this mail: b.zip"]

    def test_an_encoding_that_is_not_declared_is_said(self) -> None:
        file = pdfs.with_files(("a.txt", "Die Grösse der Anlage überrascht, für jeden".encode("cp1252")))
        (detail,) = unread(parse_once(file))
        assert "its encoding is not declared" in detail
        assert [hit.match_kind for hit in hits(file, "der Anlage")] == ["exact"]

    def test_an_entity_bomb_is_not_expanded(self) -> None:
        bomb = "<!DOCTYPE r [<!ENTITY a 'boom'>" + "".join(
            f"<!ENTITY {b} '{f'&{a};' * 10}'>" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        )
        file = pdfs.with_files(("a.xml", f"<?xml version='1.0'?>{bomb}]><r>&i; end</r>".encode()))
        assert sum(map(len, texts(file, "a.xml"))) < 2000

    @pytest.mark.parametrize(
        "data", [b"PK\x03\x04zip", b"\x89PNG\r\n\x1a\n", bytes(range(256)) * 9, b"MZ\x00\x90"]
    )
    def test_what_is_no_text_stays_unread(self, data: bytes) -> None:
        (detail,) = unread(parse_once(pdfs.with_files(("a.bin", data))))
        assert detail.startswith("attachment a.bin: a")


class TestWhereTheyHang:
    def test_on_an_annotation_of_a_page(self) -> None:
        def pinned(page: pymupdf.Page) -> None:
            page.add_file_annot((400, 100), b"secret numbers", "pinned.txt", desc="pinned to the page")

        (hit,) = hits(pdfs.document(pdfs.text("first"), pinned), "secret numbers")
        assert (hit.page_num, hit.part) == (2, "attachment pinned.txt")

    @pytest.mark.parametrize("place", ["catalog", "page", "nowhere", "stream"])
    def test_outside_the_list_of_embedded_files(self, place: str) -> None:
        def change(pdf: pikepdf.Pdf) -> None:
            name = pikepdf.Name
            stream = pdf.make_stream(b"associated numbers")
            stream.Type = name.EmbeddedFile
            if place == "stream":
                pdf.Root.Private = stream
                return
            spec = pikepdf.Dictionary(Type=name.Filespec, F="af.txt", EF=pikepdf.Dictionary(F=stream))
            holder = {"catalog": pdf.Root, "page": pdf.pages[1].obj}.get(place, pdf.Root)
            holder[name.Private if place == "nowhere" else name.AF] = pikepdf.Array([spec])

        data = pdfs.changed(pdfs.document(pdfs.text("first"), pdfs.text("second")), change)
        (hit,) = hits(data, "associated numbers")
        assert hit.page_num == (2 if place == "page" else 0)

    def test_texts_of_a_portfolio(self) -> None:
        def change(pdf: pikepdf.Pdf) -> None:
            spec = pdf.Root.Names.EmbeddedFiles.Names[1]
            spec.CI = pikepdf.Dictionary(Dept="department of tides")
            pdf.Root.Collection = pikepdf.Dictionary(View=pikepdf.Name.T)

        data = pdfs.changed(pdfs.with_files(("a.txt", b"x")), change)
        assert [hit.source for hit in hits(data, "department of tides")] == ["attachment"]

    def test_two_of_one_name_are_told_apart(self) -> None:
        inner = pdfs.with_files(("n.txt", b"inner words"))
        data = pdfs.with_files(("a.pdf", inner), ("b.pdf", SIDE))

        def change(pdf: pikepdf.Pdf) -> None:
            pdf.Root.Names.EmbeddedFiles.Names[3].UF = "a.pdf"

        lines = parse_once(pdfs.changed(data, change)).line_df
        assert set(lines["part"]) == {
            "",
            "attachment a.pdf",
            "attachment a.pdf (2)",
            "attachment a.pdf > n.txt",
        }


class TestLimits:
    DEEP = SIDE
    for level in range(4):
        DEEP = pdfs.with_files((f"level{level}.pdf", DEEP), first=pdfs.text(f"page of level {level + 1}"))

    def test_depth(self) -> None:
        part = "attachment level3.pdf > level2.pdf > level1.pdf"
        assert unread(parse_once(self.DEEP)) == [f"{part}: deeper than --attachment-depth 2"]
        assert unread(parse_once(self.DEEP, attachment_depth=4)) == []
        assert len(hits(self.DEEP, "side letter", attachment_depth=4)) == 1

    def test_depth_0_only_names_them(self) -> None:
        parsed = parse_once(pdfs.with_files(("side.pdf", SIDE)), attachment_depth=0)
        assert unread(parsed) == ["attachment side.pdf: deeper than --attachment-depth 0"]
        assert "side.pdf" in set(parsed.line_df["text"])

    def test_a_bomb_is_not_unpacked(self) -> None:
        def bomb(pdf: pikepdf.Pdf) -> None:
            packer = zlib.compressobj(9)
            data = b"".join(packer.compress(bytes(1 << 20)) for _ in range(300)) + packer.flush()
            spec = pdf.Root.Names.EmbeddedFiles.Names[1]
            spec.EF.F.write(data, filter=pikepdf.Name.FlateDecode)

        data = pdfs.changed(pdfs.with_files(("bomb.txt", b"x"), ("good.txt", b"small words")), bomb)
        parsed = parse_once(data, attachment_mb=64, memory_mb=1024)
        assert unread(parsed) == ["attachment bomb.txt: larger than what is left of --attachment-mb 64"]
        assert "small words" in set(parsed.line_df["text"])

    def test_all_together(self) -> None:
        data = pdfs.with_files(*((f"{n}.txt", bytes([65 + n]) * 700_000) for n in range(3)))
        assert unread(parse_once(data, attachment_mb=1)) == [
            f"attachment {n}.txt: larger than what is left of --attachment-mb 1" for n in (1, 2)
        ]

    def test_more_than_are_read_and_more_than_are_listed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(attachments, "_MOST_FILES", 5)
        monkeypatch.setattr(attachments, "_MOST_SPOTS", 2)
        data = pdfs.with_files(*((f"{n}.txt", f"words {n}".encode()) for n in range(12)))
        assert unread(docaudit.parse(data, ocr="off", workers=1)) == [
            "attachment 5.txt: more than 5 attachments",
            "attachment 6.txt: more than 5 attachments",
            "5 more, from attachment 7.txt on: more than 5 attachments",
        ]

    def test_the_same_file_is_read_once(self) -> None:
        data = pdfs.with_files(("a.txt", b"same words"), ("b.txt", b"same words"))
        assert texts(data, "b.txt") == ["the same file as attachment a.txt"]
        assert len(hits(data, "same words")) == 1

    @pytest.mark.parametrize(("what", "said"), [("crash", "crashed"), ("hang", "took longer")])
    def test_one_that_breaks_the_reader_costs_only_itself(
        self, monkeypatch: pytest.MonkeyPatch, what: str, said: str
    ) -> None:
        monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
        monkeypatch.setenv("DOCAUDIT_SABOTAGE", f"{what}:bad.txt")
        data = pdfs.with_files(("a.txt", b"first words"), ("bad.txt", b"bad words"), ("c.txt", b"last words"))
        parsed = docaudit.parse(data, ocr="off", workers=1, page_seconds=3)
        (detail,) = unread(parsed)
        assert "bad.txt" in detail
        assert said in detail
        assert {"first words", "last words"} <= set(parsed.line_df["text"])
        assert parsed.page_df["state"].tolist() == ["text"]
