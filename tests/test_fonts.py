"""Fonts are believed where their glyphs show what the file says, and nowhere else."""

from __future__ import annotations

import re

import pikepdf
import pymupdf
import pytest

import docaudit
from docaudit.extract.fonts import FontCheck
from tests import pdfs
from tests.conftest import parse_once

SENTENCES = ("The audit trail is kept for seven years.", "Every change is signed by two people.")
TABLE = docaudit.ConceptTable.from_variants({"trail": ["audit trail"]})


def spots(data: bytes, **options: object) -> list[tuple[str, str]]:
    table = parse_once(data, **options).blind_spot_df
    return list(zip(table["kind"], table["detail"], strict=True))


def test_the_falsified_table_says_what_the_page_does_not_show() -> None:
    parsed = parse_once(pdfs.own_font(*SENTENCES, change=pdfs.shifted))
    assert parsed.line_df["text"].tolist()[-2] == "Tol hbkpa ayhps pz rlwa mvy zlclu flhyz."


def test_a_font_that_shows_other_letters_is_a_blind_spot() -> None:
    data = pdfs.own_font(*SENTENCES, change=pdfs.shifted)
    found = spots(data)
    named = [detail for kind, detail in found if kind == "unknown_glyphs"]
    assert len(named) == len(SENTENCES)
    assert all("BitstreamVeraSans" in detail and "other letters" in detail for detail in named)
    finding = docaudit.audit(parse_once(data), TABLE)
    assert finding.finding == "not_established"
    assert {check.obligation.value: check.pages for check in finding.unmet} == {"ink_read": (1,)}


@pytest.mark.parametrize("first", [0x21, 0x3B1, 0x430, 0x4E00])
def test_letters_that_claim_to_be_of_another_script(first: int) -> None:
    def other(table: bytes) -> bytes:
        return re.sub(
            rb"> <00([67][0-9A-F])>",
            lambda found: b"> <%04X>" % (first + (int(found[1], 16) - 0x61) % 15),
            table,
        )

    assert "unknown_glyphs" in [kind for kind, _ in spots(pdfs.own_font(*SENTENCES, change=other))]


def test_ocr_reads_what_a_false_table_hides() -> None:
    finding = docaudit.audit(pdfs.own_font(*SENTENCES, change=pdfs.shifted), TABLE)
    assert finding.concept_hits == {"trail": 1}
    assert finding.hits[0].source == "ocr"


def test_an_honest_font_is_believed() -> None:
    data = pdfs.own_font(*SENTENCES)
    assert spots(data) == []
    assert docaudit.audit(parse_once(data), TABLE).concept_hits == {"trail": 1}


@pytest.mark.parametrize("name", ["helv", "heit", "tiro", "tibo", "cour", "coit", "japan"])
def test_built_in_fonts_are_believed(name: str) -> None:
    font = pymupdf.Font(name).buffer

    def draw(page: pymupdf.Page) -> None:
        page.insert_font(fontname="F0", fontbuffer=font)
        page.insert_text((72, 100), "The audit trail is kept for seven years.", fontname="F0")

    kinds = [detail for _, detail in spots(pdfs.document(draw)) if "font" in detail]
    assert kinds == []


def test_capitals_in_place_of_small_letters_are_no_other_letters() -> None:
    def lowered(table: bytes) -> bytes:
        for letter in range(ord("A"), ord("Z") + 1):
            table = table.replace(
                b"<%02X> <%04X>" % (letter, letter), b"<%02X> <%04X>" % (letter, letter + 32)
            )
        return table

    assert spots(pdfs.own_font("THE AUDIT TRAIL IS KEPT", change=lowered)) == []


def glyph_names(first: int, table: bytes | None = None) -> bytes:
    """A Type3 font whose glyphs are the letters of "audit trail" drawn as shapes, with names that mean nothing."""
    letters = "auditrl"

    def change(pdf: pikepdf.Pdf) -> None:
        name = pikepdf.Name
        page = pdf.pages[0]
        helvetica = pdf.make_indirect(
            pikepdf.Dictionary(Type=name.Font, Subtype=name.Type1, BaseFont=name.Helvetica)
        )
        names = [name(f"/x{number}") for number in range(len(letters))]
        shapes = {
            str(glyph): pdf.make_stream(b"600 0 d0 BT /H 1000 Tf (%c) Tj ET" % letter.encode())
            for glyph, letter in zip(names, letters, strict=True)
        }
        font = pikepdf.Dictionary(
            Type=name.Font, Subtype=name.Type3, FontBBox=[0, -300, 700, 1000], FontMatrix=[0.001, 0, 0, 0.001, 0, 0],
            FirstChar=first, LastChar=first + len(letters) - 1, Widths=[600] * len(letters),
            CharProcs=pikepdf.Dictionary(shapes),
            Encoding=pikepdf.Dictionary(Type=name.Encoding, Differences=[first, *names]),
            Resources=pikepdf.Dictionary(Font=pikepdf.Dictionary(H=helvetica)),
        )  # fmt: skip
        if table is not None:
            font.ToUnicode = pdf.make_stream(table)
        page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=pdf.make_indirect(font)))
        codes = "".join(f"{first + letters.index(letter):02x}" for letter in "audittrail").encode()
        page.Contents = pdf.make_stream(b"BT /F 16 Tf 72 600 Td <" + codes + b"> Tj ET")

    return pdfs.changed(pdfs.document(pdfs.blank), change)


def to_unicode(first: int, letters: str) -> bytes:
    rows = b"".join(b"<%02X> <%04X>\n" % (first + at, ord(letter)) for at, letter in enumerate(letters))
    return (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n"
        b"%d beginbfchar\n%sendbfchar endcmap end end" % (len(letters), rows)
    )


@pytest.mark.parametrize("first", [1, 33, 97])
def test_made_up_glyph_names_are_a_blind_spot_wherever_their_codes_lie(first: int) -> None:
    found = spots(glyph_names(first))
    assert [kind for kind, _ in found if kind == "unknown_glyphs"]
    assert docaudit.audit(parse_once(glyph_names(first)), TABLE).finding == "not_established"


def test_a_type3_font_that_says_what_it_shows_is_believed() -> None:
    honest = glyph_names(33, to_unicode(33, "auditrl"))
    assert spots(honest) == []
    assert parse_once(honest).line_df["text"].tolist() == ["audittrail"]
    false = glyph_names(33, to_unicode(33, "hbkpays"))
    assert "unknown_glyphs" in [kind for kind, _ in spots(false)]


def test_unknown_glyphs_name_their_font() -> None:
    (found,) = (detail for kind, detail in spots(pdfs.unknown_glyphs()) if kind == "unknown_glyphs")
    assert found.startswith("12 of 12 characters")
    assert "font Type3" in found


def test_bullets_of_an_icon_font_are_no_words() -> None:
    """Each glyph of the font is another letter than the file says, but it stands alone, as bullets do."""
    data = pdfs.own_font("a d i t u r l", change=pdfs.shifted)
    assert spots(data) == []


def claiming(claims: dict[str, str]) -> bytes:
    """A page of the sentences in which the file says other characters for some letters."""

    def other(table: bytes) -> bytes:
        for letter, claim in claims.items():
            table = table.replace(
                b"> <%04X>" % ord(letter), b"> <%s>" % claim.encode("utf-16-be").hex().upper().encode()
            )
        return table

    return pdfs.own_font(*SENTENCES, change=other)


SMALL = "abcdefghiklnoprstuvwy"


def from_code_point(first: int) -> dict[str, str]:
    return {letter: chr(first + at) for at, letter in enumerate(SMALL)}


@pytest.mark.parametrize(
    "claims",
    [
        *(
            pytest.param(from_code_point(first), id=name)
            for name, first in {
                "private use": 0xE001, "private use, plane 15": 0xF0001, "unassigned": 0x2FE0, "tags": 0xE0061,
                "emoji": 0x1F600, "box drawing": 0x2500, "braille": 0x2801, "mathematical": 0x1D44E,
                "Latin Extended": 0x150, "fullwidth": 0xFF48, "phonetic": 0x250, "Hangul": 0xAC00, "Thai": 0xE01,
                "Armenian": 0x561, "Hebrew": 0x5D0, "Han Extension A": 0x3400,
            }.items()
        ),
        *(
            pytest.param(dict.fromkeys(SMALL, char), id=name)
            for name, char in {
                "soft hyphen": "\xad", "zero width": "\u200b", "noncharacter": "\uffff", "bullet": "\u2022",
                "ligature": "\ufb01", "ligature in two": "fi",
            }.items()
        ),
        pytest.param({"r": " "}, id="one letter a blank"),
        pytest.param({"r": "\xad"}, id="one letter a soft hyphen"),
        pytest.param({"t": "\u0e01", "r": "\u0e02", "d": "\u0e03"}, id="three letters Thai"),
    ],
)  # fmt: skip
def test_latin_letters_that_claim_to_be_something_else(claims: dict[str, str]) -> None:
    parsed = parse_once(claiming(claims), ocr="off")
    assert "unknown_glyphs" in parsed.blind_spot_df["kind"].tolist()
    assert docaudit.audit(parsed, TABLE).finding != "absent_within_coverage"


@pytest.mark.parametrize(
    "claims",
    [
        {"a": "ɑ", "g": "ɡ"},  # phonetic letters that look like the plain ones
        {letter: chr(0xFEE0 + ord(letter)) for letter in SMALL},  # fullwidth forms of the same letters
        {letter: chr(0x1D5BA + ord(letter) - ord("a")) for letter in SMALL},  # mathematical sans serif
        {letter: letter + "\u0301" for letter in SMALL},  # with an accent that the glyph has not
    ],
)
def test_forms_of_the_same_letter_are_believed(claims: dict[str, str]) -> None:
    assert spots(claiming(claims)) == []


@pytest.mark.parametrize(
    "text",
    [
        "כל שינוי נחתם על ידי שני אנשים ויומן הביקורת נשמר שבע שנים",
        "บันทึกการตรวจสอบจะถูกเก็บรักษาไว้เป็นเวลาเจ็ดปี",
        "يتم الاحتفاظ بسجل المراجعة لمدة سبع سنوات ويوقع على كل تغيير شخصان",
        "감사 추적은 칠 년 동안 보관되며 모든 변경은 두 사람이 서명합니다",
        "監査証跡は七年間保存されます。カタカナ 审计记录",
        "Աուդիտի հետքը պահվում է յոթ տարի և յուրաքանչյուր փոփոխություն ստորագրվում է",
        "აუდიტის ბილიკი ინახება შვიდი წლის განმავლობაში",
        "Το ίχνος ελέγχου φυλάσσεται για επτά χρόνια. Журнал зберігається сім років, їх є ґ ѕ ј љ њ ћ",
        "ᎣᏏᏲ ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ ᎠᎴ ᎤᏁᎳᏅᎯ ᎡᏆᎾ ᎢᎦ ᏔᎵ ᏦᎢ",
        "ðə ˈɔːdɪt treɪl ɪz kɛpt fɔː ˈsɛvən jɪəz ʃʒŋθʌæɑɒʊɡʀɴʏ Dấu vết kiểm toán ąęćńźż",
        "∀x∈ℝ ∃y ∪∩∨∧⊂⊃⊆∑∏∫√∞≤≥ 𝐀𝐁𝐂𝑎𝑏𝑐𝔄𝔅𝔸𝔹 ✓✗✘★☐☑❶➔→↑ ─│┌┐╬█ ⠁⠃⠉ 😀🎉 x²³¹ªº½ ⅠⅣ ＡＢａｂ ﬁﬂﬀﬃ",
    ],
)
@pytest.mark.parametrize("subset", [False, True])
def test_honest_fonts_of_other_scripts_and_symbols_are_believed(text: str, subset: bool) -> None:
    with pymupdf.open() as doc:
        page = doc.new_page()
        page.insert_htmlbox(page.rect, f"<p>{text}</p>")
        if subset:
            doc.subset_fonts()
        data = doc.tobytes(garbage=3)
    with pymupdf.open("pdf", data) as doc:
        assert len(doc[0].get_fonts()) > 0
        assert FontCheck(doc).doubted(doc[0]) == {}
