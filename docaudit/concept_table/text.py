"""Bytes of a concept table to text: byte order marks, UTF-16, and the old encodings, which are never guessed at risk.

A keyword that is decoded wrongly is found nowhere, and that would look like absence. So a file is taken as Shift_JIS
or Windows-1252 (what Excel saves as CSV in Western Europe) only if its text makes sense in exactly one of the two, and
in none of the code pages of Central Europe, Turkey and the Baltic states: 0xF1 is ñ in one and ń in another, but no
Polish word is "seńor". Otherwise the user is asked to save as UTF-8.
"""

from __future__ import annotations

import codecs
import re
import unicodedata

from docaudit.errors import ConceptTableError
from docaudit.wordforms import HAN, HIRAGANA, WORD

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8"),
    (codecs.BOM_UTF32_LE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32", "UTF-32"),
    (codecs.BOM_UTF16_LE, "utf-16", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16", "UTF-16"),
)
_OTHER_FILES = (
    (b"PK\x03\x04", "a ZIP or Excel file; name it .xlsx if it is a workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls); save it as .xlsx"),
    (b"%PDF", "a PDF"),
    (b"PAR1", "a Parquet file"),
    (b"\x1f\x8b", "a gzip file; unpack it"),
)
_NEIGHBOURS = (
    (
        "cp1250",
        "Windows-1250",
        # Polish, Czech, Slovak, Hungarian, Romanian, Croatian with Slovene
        "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű ăâîşţ čćđšž",
    ),
    ("cp1254", "Windows-1254", "âçğıîöşûü"),  # Turkish
    (
        "cp1257",
        "Windows-1257",
        "ąčęėįšųūž āčēģīķļņšūž äõöüšž ąćęłńóśźż",
    ),  # Lithuanian, Latvian, Estonian, Polish
)
"""Code pages that share most letters with Windows-1252, and the alphabets of their languages beyond a to z."""
_UNLIKELY = re.compile(
    r"[ńćśź][aeiouyąęó]|(?<![bcdfghjklmnprstvz])[ŕĺ]|[ŕĺ](?![bcdfghjklmnprstvz])", re.IGNORECASE
)
"""What no word of these languages has: Polish writes ni before vowels, Slovak has ŕ and ĺ between consonants."""
_KANA = re.compile(f"[{HIRAGANA}\u30a1-\u30fa\u30fc-\u30ff]")
_JAPANESE = re.compile(f"[\\x00-\\x7f{HAN}{HIRAGANA}\u30a1-\u30ff\u3000-\u303f\uff00-\uff60]*")
_WESTERN_SIGNS = "’“”–—…€£§©®°²³·«»¿¡\u00a0"
_SIGN_IN_WORD = re.compile(r"[^\W\d_][“”—…€£§©®°«»¿¡][^\W\d_]")
_FOREIGN_RUN = re.compile(r"[^\x00-\x7f’]+")
_ENOUGH_BYTES = 16
_NAMES = {
    "euc_jp": "EUC-JP",
    "euc_jis_2004": "EUC-JP",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8_r": "KOI8-R (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "gb18030": "GB18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp949": "CP949 (Korean)",
}
_REMEDY = "save the table as UTF-8"


def decode(data: bytes, file: str) -> str:
    """The text of a CSV, TSV, JSON or YAML file; raises ConceptTableError that names the encodings tried."""
    for magic, what in _OTHER_FILES:
        if data.startswith(magic):
            raise ConceptTableError(
                f"this is {what}", file=file, remedy="supply CSV, TSV, JSON, YAML or XLSX"
            )
    for mark, codec, name in _MARKS:
        if data.startswith(mark):
            return _strict(data, codec, name, file)
    if b"\x00" in data:
        return _without_mark(data, file)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        return _old_encoding(data, file, error)


def _strict(data: bytes, codec: str, name: str, file: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        raise ConceptTableError(
            f"begins with the mark of {name} but cannot be decoded as {name} (byte {error.start})",
            file=file,
            remedy=_REMEDY,
        ) from error


def _without_mark(data: bytes, file: str) -> str:
    """UTF-16 without a mark begins with a plain sign, and has its zero bytes on one side only; all else is not text."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    codec = "utf-16-le" if odd > even else "utf-16-be"
    if min(even, odd) == 0 and len(data) % 2 == 0:
        try:
            text = data.decode(codec)
            if text[0].isascii():
                return text
        except UnicodeDecodeError:
            pass  # falls through to the refusal below: it is neither text nor UTF-16
    raise ConceptTableError(
        "is not text: it has zero bytes (tried UTF-8 and UTF-16)",
        file=file,
        remedy="supply CSV, TSV, JSON, YAML or XLSX",
    )


def _old_encoding(data: bytes, file: str, error: UnicodeDecodeError) -> str:
    japanese, western = _decoded(data, "cp932"), _decoded(data, "cp1252")
    as_japanese = japanese is not None and _reads_as_japanese(japanese)
    as_western = western is not None and _reads_as_western(western)
    if japanese is not None and as_japanese and not as_western:
        return japanese
    if western is not None and as_western and not as_japanese:
        other = _read_otherwise(data, western)
        if not other:
            return western
        why = other
    else:
        why = "it could be either of the latter two" if as_japanese else "none of them is sure to be right"
    looks = _looks_like(data)
    raise ConceptTableError(
        f"cannot be decoded: tried UTF-8 (fails at byte {error.start}), Shift_JIS and Windows-1252; {why}",
        file=file,
        remedy=f"{_REMEDY}; it looks like {looks}" if looks else _REMEDY,
    ) from error


def _looks_like(data: bytes) -> str:
    """The encoding that the bytes suggest, for the person who has to save them again: a guess, never used to read."""
    if sum(byte > 127 for byte in data) < _ENOUGH_BYTES:
        return ""
    from charset_normalizer import from_bytes

    best = from_bytes(data).best()
    return _NAMES.get(best.encoding, "") if best else ""


def _read_otherwise(data: bytes, western: str) -> str:
    """Where another code page has another letter than Windows-1252, and the whole text may be of one of its languages;
    empty if there is none.
    """
    for codec, name, alphabets in _NEIGHBOURS:
        other = data.decode(codec, "replace")
        foreign = {char for char in other.lower() if char.isalpha() and not char.isascii()}
        possible = any(foreign <= set(alphabet) for alphabet in alphabets.split())
        if possible and not _UNLIKELY.search(other):
            for mine, theirs in zip(western, other, strict=True):
                if mine != theirs:
                    return f"'{mine}' of Windows-1252 is '{theirs}' in {name}"
    return ""


def _decoded(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _reads_as_japanese(text: str) -> bool:
    """Only kana tell: the bytes of Chinese, taken as Shift_JIS, give kanji and half-width letters by chance."""
    return bool(_JAPANESE.fullmatch(text) and _KANA.search(text))


def _reads_as_western(text: str) -> bool:
    foreign = {char for char in text if not char.isascii()}
    known = all(char in _WESTERN_SIGNS or _is_latin_letter(char) for char in foreign)
    return known and not _SIGN_IN_WORD.search(text) and all(map(_is_western_word, WORD.findall(text)))


def _is_western_word(word: str) -> bool:
    """Western words have accented letters here and there (créée); bytes of other scripts come in runs."""
    runs = [match.group() for match in _FOREIGN_RUN.finditer(word)]
    return all(len(run) == 1 or (len(run) == 2 and run.islower() and run != word) for run in runs)


def _is_latin_letter(char: str) -> bool:
    return unicodedata.name(char, "").startswith("LATIN") and char.isalpha() and char != "ƒ"
