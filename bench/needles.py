"""Random phrases planted in generated layouts: is each found where there is text, and is none "absent" elsewhere?

    python bench/needles.py [--each 96] [--seed 1] [--layout NAME] [--language en] [--list]

In 21 layouts with text and 2 without, 96 phrases in each of English, German, Japanese, Chinese and Arabic: words made
of syllables, so that nothing is found by chance. As many phrases of the same words in another order are searched as
well and must not be found. A page without text must be listed as not read.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter

import pymupdf
from layouts import WITH_TEXT, WITHOUT_TEXT, Layout, Pen

import docaudit
from docaudit.codes import POSSIBLE_KINDS, TextLikely
from docaudit.concepts.model import ConceptTable

PER_PAGE = 8
_SYLLABLES = {
    "en": "ba cor den fil gra hol jin kel lum mer nop pra quin rus sol tav ver wim yor zel".split(),
    "de": "bär cken dör fül grö hof jüng kett läu mehl näch pfl quä rüs schö tiß vör wäl zün".split(),
    "ar": "بر كت سل من در فع جم حق طل نص قو شر".split(),
}
_SIGNS = {
    "ja": "監査記録電力消費量契約者権利条約情報公開データセンター人工知能設備投資環境影響評価委員会",
    "zh": "审计记录电力消耗合同权利条约信息公开数据中心人工智能设备投资环境影响评估委员会报告",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--each", type=int, default=96, help="phrases for each layout and language")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layout")
    parser.add_argument("--language")
    parser.add_argument("--list", action="store_true", help="print every miss and false hit")
    args = parser.parse_args()
    count: Counter[str] = Counter()
    for layout in (*WITH_TEXT, *WITHOUT_TEXT):
        for language in ("en", "de", "ja", "zh", "ar"):
            if args.layout in (None, layout.__name__) and args.language in (None, language):
                count += _measure(
                    layout, language, args.each, random.Random(f"{args.seed} {language}"), args.list
                )
    planted = count["found"] + count["flagged"] + count["silent"]
    print(
        f"{planted:,} phrases in text: {count['found']:,} found ({count['found'] / max(planted, 1):.2%}), "
        f"{count['flagged']} on pages listed as not read, {count['silent']} silently missed"
    )
    print(f"{count['unread']:,} phrases without text: {count['absent']} on pages not listed as unread")
    print(f"false hits: {count['false']} of {count['asked']:,}")


def _word(language: str, chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES[language], k=chance.choice((2, 3, 3, 4))))


def _phrase(language: str, chance: random.Random) -> list[str]:
    if language in _SIGNS:
        return chance.choices(_SIGNS[language], k=chance.randint(5, 8))
    return [_word(language, chance) for _ in range(chance.randint(2, 3))]


def _filler(language: str, chance: random.Random, count: int) -> list[str]:
    if language in _SIGNS:
        return chance.choices("のはをにがと那些这个在了", k=2 * count)
    return [_word(language, chance) for _ in range(count)]


def _measure(layout: Layout, language: str, each: int, chance: random.Random, show: bool) -> Counter[str]:
    phrases = [_phrase(language, chance) for _ in range(each)]
    decoys = [[*phrase[1:], phrase[0]] for phrase in phrases]
    doc = pymupdf.open()
    pen = Pen(doc, language)
    page_of: list[int] = []
    for start in range(0, each, PER_PAGE):
        pen.new_page()
        page_of += [len(doc)] * len(phrases[start : start + PER_PAGE])
        # The phrase stands in the middle, where layouts break paragraphs.
        layout(
            pen,
            [
                [*_filler(language, chance, 9), *phrase, *_filler(language, chance, 9)]
                for phrase in phrases[start : start + PER_PAGE]
            ],
        )
    data = doc.tobytes(deflate=True)
    parsed = docaudit.parse(data, ocr="off")
    table = ConceptTable.from_variants(
        {
            f"{kind} {number}": [pen.join(words)]
            for kind, listed in (("planted", phrases), ("decoy", decoys))
            for number, words in enumerate(listed)
            if kind == "planted" or words not in phrases
        }
    )
    hit_df = docaudit.sweep(parsed, table).hit_df
    hit_df = hit_df[~hit_df["match_kind"].isin(POSSIBLE_KINDS)]
    found = set(zip(hit_df["concept"], hit_df["page_num"], strict=True))
    spots = parsed.blind_spot_df
    unread = set(spots.loc[spots["text_likely"] != TextLikely.NO, "page_num"])
    count = Counter(asked=each)
    for number, page in enumerate(page_of):
        if layout in WITHOUT_TEXT:
            state = "unread"
            count["absent"] += page not in unread
        else:
            state = (
                "found" if (f"planted {number}", page) in found else "flagged" if page in unread else "silent"
            )
        count[state] += 1
        if show and state in ("silent", "flagged"):
            print(f"{state} {layout.__name__} {language} p. {page}: {pen.join(phrases[number])}")
    for row in hit_df[hit_df["concept"].str.startswith("decoy")].itertuples():
        count["false"] += 1
        if show:
            print(
                f"false {layout.__name__} {language} p. {row.page_num}: {row.match_text!r} {row.match_kind}"
            )
    print(
        f"{layout.__name__:20} {language}  "
        + ", ".join(f"{name} {n}" for name, n in count.items() if n and name != "asked")
    )
    return count


if __name__ == "__main__":
    main()
