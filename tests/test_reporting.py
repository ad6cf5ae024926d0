"""docaudit.report: all forms of a justification in one folder, with what only the document can give."""

from __future__ import annotations

import base64
import io
import re
from functools import cache
from pathlib import Path

import pymupdf
import pytest
from PIL import Image

import docaudit
from docaudit import saved
from docaudit.codes import TextLikely
from docaudit.errors import MissingEvidenceError, OtherDocumentError, OutputError, PasswordRequiredError
from docaudit.extract import isolation
from docaudit.extract.draw import annotate
from docaudit.extract.page_tree import PageTree
from docaudit.extract.protocol import AnnotateRequest, Mark
from docaudit.justification import AbsenceJustification
from docaudit.render.view import colour, highlighter
from docaudit.report import write_report
from tests import pdfs
from tests.factories import absent

TABLE = docaudit.ConceptTable.from_variants(
    {"power": ["electricity", "electric power"], "sea": ["harbour"], "AI": ["AI"]}
)
TEXTS = {
    "justification.json",
    "report.html",
    "report.md",
    "search-record.md",
    "search-terms.xlsx",
    "search-terms.csv",
    "hits.csv",
    "blind_spots.csv",
}


def turned(degrees: int) -> pdfs.Draw:
    def draw(page: pymupdf.Page) -> None:
        page.insert_text((100, 200), "The harbour uses electricity at night.")
        page.set_rotation(degrees)

    return draw


def over_lines(page: pymupdf.Page) -> None:
    pdfs.write(page, ["Ships that lie in the port take electric", "power from the shore."])
    pdfs.write(page, ["A column that speaks of no power at all"], x=320, y=400)


def cropped(page: pymupdf.Page) -> None:
    page.insert_text((250, 300), "electricity inside the crop box")
    page.set_cropbox(pymupdf.Rect(200, 250, 500, 600))


unread = pdfs.with_picture(
    ["A page with a picture of words."], ["Tide tables of the port"], (72, 300, 372, 400)
)


def finish(doc: pymupdf.Document) -> None:
    doc.set_toc([[1, "Electricity of ports", 1], [2, "Turned", 2]])
    doc.embfile_add("annex.txt", b"The annex speaks of electricity, too.", filename="annex.txt")


PAGES = (over_lines, turned(0), turned(90), turned(180), turned(270), cropped, unread)
DOCUMENT = pdfs.document(*PAGES, finish=finish)


@cache
def audited(data: bytes = DOCUMENT, password: str | None = None) -> AbsenceJustification:
    return docaudit.audit(data, TABLE, ocr="off", password=password)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    files = docaudit.report(audited(), folder, DOCUMENT)
    assert {file.name for file in files} == TEXTS | {"annotated.pdf"}
    assert {file.name for file in folder.iterdir()} == TEXTS | {"annotated.pdf"}
    return folder


@pytest.fixture(scope="module")
def copy(written: Path) -> pymupdf.Document:
    return pymupdf.open(written / "annotated.pdf")


def annotations(page: pymupdf.Page, kind: str) -> list[pymupdf.Annot]:
    return [annotation for annotation in page.annots() if annotation.type[1] == kind]


def words_under(page: pymupdf.Page, annotation: pymupdf.Annot) -> set[str]:
    """Words of which a good part lies under the annotation; both in coordinates of the page before it is turned."""
    boxes = annotation.vertices
    quads = [pymupdf.Quad(boxes[at : at + 4]).rect for at in range(0, len(boxes), 4)]
    found = set()
    for x0, y0, x1, y1, word, *_ in page.get_text("words"):
        box = pymupdf.Rect(x0, y0, x1, y1)
        if any((box & quad).get_area() > 0.5 * box.get_area() for quad in quads):
            found.add(word.strip(".,"))
    return found


class TestAnnotatedCopy:
    def test_every_hit_on_a_page_is_highlighted(self, copy: pymupdf.Document) -> None:
        hits = [hit for hit in audited().hits if hit.page_num and not hit.part]
        counted = [len(annotations(page, "Highlight")) for page in copy]
        assert counted == [sum(hit.page_num == number for hit in hits) for number in range(1, 8)] + [0]
        assert counted == [1, 2, 2, 2, 2, 1, 0, 0]

    @pytest.mark.parametrize("number", [2, 3, 4, 5])
    def test_highlights_lie_on_the_words_of_turned_pages(self, copy: pymupdf.Document, number: int) -> None:
        page = copy[number - 1]
        assert page.rotation == {2: 0, 3: 90, 4: 180, 5: 270}[number]
        found = [words_under(page, annotation) for annotation in annotations(page, "Highlight")]
        assert found == [{"harbour"}, {"electricity"}] or found == [{"electricity"}, {"harbour"}]

    def test_both_lines_of_a_hit_are_highlighted(self, copy: pymupdf.Document) -> None:
        page = copy[0]
        (annotation,) = annotations(page, "Highlight")
        assert words_under(page, annotation) == {"electric", "power"}
        below = [quad_y for _, quad_y in annotation.vertices]
        assert max(below) < 200, "not the word in the other column"

    def test_the_letters_and_no_others_are_highlighted(self, tmp_path: Path) -> None:
        """Narrow letters before and wide ones after: a share of the length would miss them; and twice."""
        line = "Still, little illicit fill: electricity, electricity, WWWWWWW MMMMMMM WWWWWWW MMMMMMM"
        data = pdfs.document(pdfs.text(line), lambda page: page.insert_text((90, 700), line, rotate=90))
        docaudit.report(audited(data), tmp_path, data)
        with pymupdf.open(tmp_path / "annotated.pdf") as made:
            for page in list(made)[:2]:
                truth = [word[:4] for word in page.get_text("words") if word[4] == "electricity,"]
                marked = [tuple(annotation.rect) for annotation in annotations(page, "Highlight")]
                assert len(truth) == len(marked) == 2
                across = slice(0, 4, 2) if page.number == 0 else slice(1, 4, 2)
                for seen, drawn in zip(truth, marked, strict=True):
                    # The comma, 3 points wide, belongs to the word of the engine; a highlight has round ends.
                    assert list(drawn)[across] == pytest.approx(list(seen)[across], abs=4.5)

    def test_letters_that_no_glyph_shows_are_marked_where_the_sweep_saw_them(self, tmp_path: Path) -> None:
        mark = Mark(1, 1, (72, 80, 140, 92), ["no such letters"], (1, 1, 0), "note")
        request = AnnotateRequest(str(tmp_path / "copy.pdf"), [mark], [], [], "", [])
        with pymupdf.open(stream=pdfs.document(pdfs.text("The harbour is shut."))) as doc:
            annotate(doc, PageTree(doc), request)
        with pymupdf.open(tmp_path / "copy.pdf") as made:
            page = made[0]
            (drawn,) = annotations(page, "Highlight")
            assert tuple(drawn.rect) == pytest.approx((72, 80, 140, 92), abs=4)

    def test_a_crop_box_moves_nothing(self, copy: pymupdf.Document) -> None:
        page = copy[5]
        (annotation,) = annotations(page, "Highlight")
        assert words_under(page, annotation) == {"electricity"}

    def test_each_concept_has_its_colour(self, copy: pymupdf.Document) -> None:
        page = copy[1]
        found = annotations(page, "Highlight")
        colours = {one.info["content"].split(":")[0]: one.colors["stroke"] for one in found}
        assert colours.keys() == {"power", "sea"}
        for number, name in enumerate(("power", "sea")):
            assert colours[name] == pytest.approx(highlighter(colour(number)), abs=0.01)

    def test_what_was_not_read_is_outlined(self, copy: pymupdf.Document) -> None:
        wanted = [
            s
            for s in audited().blind_spots
            if s.page_num == 7 and s.bbox and s.text_likely is not TextLikely.NO
        ]
        page = copy[6]
        boxes = annotations(page, "Square")
        assert len(boxes) == len(wanted) > 0
        assert pymupdf.Rect(72, 300, 372, 400).intersects(boxes[0].rect)
        assert wanted[0].kind.value in boxes[0].info["content"]

    def test_pages_keep_their_numbers_and_the_legend_comes_last(self, copy: pymupdf.Document) -> None:
        assert len(copy) == len(PAGES) + 1
        legend = copy[-1].get_text()
        assert audited().document.sha256 in legend
        for said in ("power: ", "sea: 4 hits", "AI: 0 hits", "region that was not read: 1"):
            assert said in legend
        assert "in attachment annex.txt: The annex speaks of electricity, too." in legend

    def test_a_bookmark_for_each_concept_with_its_hits(self, copy: pymupdf.Document) -> None:
        entries = copy.get_toc()
        top = [title for level, title, _ in entries if level == 1]
        hits = audited().hits
        counts = {name: sum(hit.concept == name for hit in hits) for name in ("power", "sea")}
        assert top[:3] == [f"power: {counts['power']} hits", "sea: 4 hits", "AI: 0 hits"]
        assert top[-2:] == ["Legend", "Bookmarks of the document itself"]
        sea = entries[entries.index([1, "sea: 4 hits", 2]) + 1 :][:4]
        assert [(level, page) for level, _, page in sea] == [(2, 2), (2, 3), (2, 4), (2, 5)]
        assert all("The harbour uses" in title for _, title, _ in sea)
        assert [2, "Electricity of ports", 1] in entries
        assert [3, "Turned", 2] in entries
        attached = [entry for entry in entries if "in attachment annex.txt" in entry[1]]
        assert [page for _, _, page in attached] == [len(copy)]

    def test_the_document_itself_is_as_it_was(self, copy: pymupdf.Document) -> None:
        with pymupdf.open(stream=DOCUMENT) as original:
            assert [page.get_text() for page in original] == [
                copy[number].get_text() for number in range(len(PAGES))
            ]
        assert copy.embfile_names() == ["annex.txt"]


def test_an_encrypted_document_stays_encrypted(tmp_path: Path) -> None:
    data = pdfs.encrypted(pdfs.document(turned(90)), "open sesame")
    found = saved.load(saved.dump(audited(data, "open sesame")))  # the password is in no file
    with pytest.raises(PasswordRequiredError):
        docaudit.report(found, tmp_path / "none", data)
    assert not (tmp_path / "none").exists()
    docaudit.report(found, tmp_path / "out", data, password="open sesame")
    with pymupdf.open(tmp_path / "out" / "annotated.pdf") as made:
        assert made.needs_pass
        assert made.authenticate("open sesame")
        page = made[0]
        assert len(annotations(page, "Highlight")) == 2


class TestPictures:
    def pictures(self, html: str) -> list[Image.Image]:
        found = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', html)
        return [Image.open(io.BytesIO(base64.b64decode(one))) for one in found]

    def test_the_unread_region_is_shown(self, written: Path) -> None:
        (picture,) = self.pictures((written / "report.html").read_text("utf-8"))
        assert max(picture.size) >= 300
        darkest, brightest = picture.convert("L").getextrema()
        assert brightest - darkest > 60, "words, not empty paper"

    def test_without_the_document_the_report_says_so(self, tmp_path: Path) -> None:
        files = docaudit.report(audited(), tmp_path)
        assert {file.name for file in files} == TEXTS
        html = (tmp_path / "report.html").read_text("utf-8")
        assert not self.pictures(html)
        assert "made without the document" in html

    def test_a_region_on_a_turned_page(self, tmp_path: Path) -> None:
        def draw(page: pymupdf.Page) -> None:
            pdfs.write(page, ["A page with a drawing."])
            page.draw_rect(pymupdf.Rect(100, 600, 200, 700), color=(1, 0, 0), fill=(1, 0, 0))
            page.set_rotation(90)

        data = pdfs.document(draw)
        from docaudit.extract.tasks import read_regions

        # Turned by 90 degrees clockwise, (x, y) is displayed at (height - y, x).
        box = (pdfs.A4[1] - 700, 100.0, pdfs.A4[1] - 600, 200.0)
        (picture,) = read_regions(data, docaudit.AuditOptions(), {1: [box]}, 200)
        assert picture.jpeg is not None
        image = Image.open(io.BytesIO(picture.jpeg))
        red, green, _ = image.convert("RGB").getpixel((image.width // 2, image.height // 2))
        assert red > 200
        assert green < 80


class TestWrongDocument:
    def test_another_document_is_refused_and_nothing_written(self, tmp_path: Path) -> None:
        with pytest.raises(OtherDocumentError, match="not the document that was audited"):
            docaudit.report(audited(), tmp_path / "out", pdfs.document(turned(0)))
        assert not (tmp_path / "out").exists()

    def test_no_justification(self, tmp_path: Path) -> None:
        with pytest.raises(MissingEvidenceError):
            docaudit.report("justification.json", tmp_path)  # type: ignore[arg-type]

    def test_no_copy_costs_the_copy_only(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        found = audited()
        monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
        monkeypatch.setenv("DOCAUDIT_SABOTAGE", "annotate:0")
        (tmp_path / "annotated.pdf").write_bytes(b"of an earlier report")
        done = write_report(found, tmp_path, DOCUMENT)
        assert {file.name for file in tmp_path.iterdir()} == {file.name for file in done.files} == TEXTS
        (problem,) = done.problems
        assert problem.startswith("annotated.pdf was not made: no annotated copy can be made of it: ")
        assert "the engine crashed (signal 11" in problem
        assert problem in (tmp_path / "report.html").read_text("utf-8")

    def test_a_crash_costs_the_pictures_of_one_page(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        found = audited()
        monkeypatch.setattr(isolation, "WORKER", "tests.saboteurs")
        monkeypatch.setenv("DOCAUDIT_SABOTAGE", "picture:7")
        done = write_report(found, tmp_path, DOCUMENT)
        assert (tmp_path / "annotated.pdf").exists()
        assert done.problems == ()
        html = (tmp_path / "report.html").read_text("utf-8")
        assert "data:image" not in html
        assert "1 of 1 regions have no picture here" in html


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError):
        docaudit.report(absent(), tmp_path / "file" / "out")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_language_of_all_forms(tmp_path: Path, language: str) -> None:
    docaudit.report(audited(), tmp_path, DOCUMENT, language=language)
    said = {"en": "Keyword table", "ja": "キーワード表"}[language]
    for name in ("report.html", "report.md", "search-record.md"):
        text = (tmp_path / name).read_text("utf-8")
        assert (said in text) or name == "search-record.md"
        assert ("Obligations" in text) is (language == "en" and name != "search-record.md")
    with pymupdf.open(tmp_path / "annotated.pdf") as made:
        assert {"en": "Legend", "ja": "凡例"}[language] in [title for _, title, _ in made.get_toc()]
        assert {"en": "sea: 4 hits", "ja": "sea: ヒット4件"}[language] in made[-1].get_text()
