"""Genuinely vertical Japanese pages: an embedded font in writing mode 1 (Identity-V), set with reportlab.

reportlab knows vertical writing only for fonts that are not embedded, which show nothing on a machine
without them. Here the font is embedded, with the vertical forms of brackets and punctuation taken from
its own substitution table, and with a ToUnicode map that leads back to the ordinary characters.
"""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from reportlab.pdfbase import pdfdoc, pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from . import fonts

WIDTH, HEIGHT = 470.0, 702.0  # inside of the page of the policy
SIZE, PITCH = 11.0, 21.5
NEVER_FIRST = "、。」』\uff09・々ー"
PART = "\uff1d\uff1d\n"
NAME = "SampleGothic-V"


class VerticalFont:
    """A font object of the kind reportlab expects, writing downwards with embedded glyphs."""

    _multiByte = 1
    _dynamicFont = 0

    def __init__(self, path: Path, text: str) -> None:
        self.fontName = self.name = NAME
        self.substitutionFonts: list[object] = []
        self.face = SimpleNamespace(builtIn=True)  # looked at by reportlab before it chooses outlines
        font = TTFont(path, recalcTimestamp=False)
        names = self._vertical_names(font, text)
        options = Options(layout_features=[], notdef_outline=True, name_IDs=[], hinting=False)
        subsetter = Subsetter(options)
        subsetter.populate(glyphs=list(names.values()))
        subsetter.subset(font)
        buffer = io.BytesIO()
        font.save(buffer)
        self.data = buffer.getvalue()
        self.cids = {char: font.getGlyphID(name) for char, name in names.items()}

    @staticmethod
    def _vertical_names(font: TTFont, text: str) -> dict[str, str]:
        """Glyph of each character, replaced by its vertical form where the font has one."""
        cmap = font.getBestCmap()
        table = font["GSUB"].table
        forms: dict[str, str] = {}
        for record in table.FeatureList.FeatureRecord:
            if record.FeatureTag == "vert":
                for number in record.Feature.LookupListIndex:
                    for sub in table.LookupList.Lookup[number].SubTable:
                        forms |= getattr(sub, "ExtSubTable", sub).mapping
        return {char: forms.get(cmap[ord(char)], cmap[ord(char)]) for char in sorted(set(text))}

    def formatForPdf(self, text: str) -> str:
        """Two bytes per glyph, escaped the way reportlab escapes strings."""
        raw = b"".join(self.cids[char].to_bytes(2, "big") for char in text)
        return "".join(f"\\{byte:03o}" for byte in raw)

    def stringWidth(self, text: str, size: float, encoding: str | None = None) -> float:
        """Every glyph advances by one em."""
        return len(text) * size

    def _to_unicode(self) -> bytes:
        rows = [
            f"<{cid:04X}> <{ord(char):04X}>" for char, cid in sorted(self.cids.items(), key=lambda kv: kv[1])
        ]
        blocks = [rows[i : i + 100] for i in range(0, len(rows), 100)]
        body = "\n".join(f"{len(b)} beginbfchar\n" + "\n".join(b) + "\nendbfchar" for b in blocks)
        return (
            "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /SampleV def\n"
            "/CMapType 2 def\n1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n"
            f"{body}\nendcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n"
        ).encode()

    def addObjects(self, doc: Any) -> None:
        """Write the font into the document: Type0, CIDFontType2, descriptor, file and map."""
        ref = doc.Reference
        stream = pdfdoc.PDFStream(
            dictionary=pdfdoc.PDFDictionary({"Length1": len(self.data)}), content=self.data
        )
        unicode_map = pdfdoc.PDFStream(content=self._to_unicode())
        for item in (stream, unicode_map):
            item.filters = [pdfdoc.PDFZCompress]
        base = pdfdoc.PDFName("ABCDEF+IPAexGothic")
        descriptor = pdfdoc.PDFDictionary(
            {
                "Type": "/FontDescriptor",
                "FontName": base,
                "Flags": 4,
                "ItalicAngle": 0,
                "Ascent": 880,
                "Descent": -120,
                "CapHeight": 700,
                "StemV": 80,
                "FontBBox": pdfdoc.PDFArray([-100, -200, 1100, 960]),
                "FontFile2": ref(stream),
            }
        )
        system = pdfdoc.PDFDictionary(
            {"Registry": pdfdoc.PDFString("Adobe"), "Ordering": pdfdoc.PDFString("Identity"), "Supplement": 0}
        )
        descendant = pdfdoc.PDFDictionary(
            {
                "Type": "/Font",
                "Subtype": "/CIDFontType2",
                "BaseFont": base,
                "CIDSystemInfo": system,
                "DW": 1000,
                "DW2": pdfdoc.PDFArray([880, -1000]),
                "CIDToGIDMap": "/Identity",
                "FontDescriptor": ref(descriptor),
            }
        )
        font = pdfdoc.PDFDictionary(
            {
                "Type": "/Font",
                "Subtype": "/Type0",
                "BaseFont": base,
                "Encoding": "/Identity-V",
                "DescendantFonts": pdfdoc.PDFArray([ref(descendant)]),
                "ToUnicode": ref(unicode_map),
            }
        )
        internal = f"F{len(doc.fontMapping) + 1}"
        doc.idToObject["BasicFonts"].dict[internal] = ref(font, internal)
        doc.fontMapping[self.name] = "/" + internal


def _columns(paragraph: str, limit: int) -> list[str]:
    """Break into columns; a mark that may not stand first hangs below the column before it."""
    columns: list[str] = []
    rest = paragraph
    indent = "　　" if paragraph[:1] in "一二三四五六七" and paragraph[1:2] == "　" else ""
    while rest:
        cut = limit - (len(indent) if columns else 0)
        while cut < len(rest) and rest[cut] in NEVER_FIRST:
            cut += 1
        columns.append((indent if columns else "") + rest[:cut])
        rest = rest[cut:]
    return columns or [""]


def _page(canvas: Canvas, text: str) -> None:
    """Title in the first column from the right, paragraphs to its left."""
    title, _, body = text.partition("\n")
    x = WIDTH - 16
    canvas.setFont(NAME, 16)
    canvas.drawString(x, HEIGHT - 6, title)
    x -= PITCH * 1.3
    canvas.setFont(NAME, SIZE)
    limit = int((HEIGHT - 30) / SIZE)
    for line in body.strip("\n").split("\n"):
        if not line.strip("　"):
            x -= PITCH * 0.3
            continue
        for column in _columns(line, limit):
            canvas.drawString(x, HEIGHT - 8, column)
            x -= PITCH
    if x < -PITCH:
        raise ValueError(f"vertical page too full by {-x:.0f} pt")


def build(source: Path, target: Path) -> None:
    """One PDF page per part of the text file; parts are separated by a line of two full-width equal signs."""
    text = source.read_text(encoding="utf-8")
    pdfmetrics.registerFont(VerticalFont(fonts.ipaex_gothic(), text.replace("\n", "")))
    canvas = Canvas(
        str(target), pagesize=(WIDTH, HEIGHT), invariant=1, pageCompression=1, initialFontName=NAME
    )
    for part in text.split(PART):
        _page(canvas, part)
        canvas.showPage()
    canvas.save()
