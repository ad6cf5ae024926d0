"""Words of a text, sentences of a document, the snippet around a hit, and words of questions that carry no topic.

What tables, questions and near misses share about words. Whether a variant stands in a document is decided by the
sweep alone (docaudit.search), by rules of its own.

>>> fold("Ｄａｔａ­Center")
'datacenter'
>>> [span.text for span in words("生成AIの電力 (10 MW)")]
['生成', 'AI', 'の', '電力', '10', 'MW']
>>> starts = sentence_starts([((1, 1), "Costs rose, e.g. by 3.5 %. Then", 1), ((1, 2), "they fell.", 1)])
>>> starts
{(1, 1): [(0, 0), (27, 1)], (1, 2): [(0, 1)]}
>>> sentence_at(starts, (1, 1), 20), sentence_at(starts, (1, 2), 4)
(0, 1)
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from docaudit.text import folding

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HIRAGANA = "\u3041-\u309f"
HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"

_LETTER = rf"(?:[^\W_{HAN}{KATAKANA}{HIRAGANA}]|[\u0300-\u036f])"
WORD = re.compile(rf"[{HAN}]+|[{KATAKANA}]+|[{HIRAGANA}]+|{_LETTER}+(?:['’]{_LETTER}+)*")
"""A word: a run of letters and digits; in Japanese and Chinese a run of one script, as nothing else separates them."""

CJK = re.compile(rf"[{HAN}{KATAKANA}{HIRAGANA}{HANGUL}]")
"""A character of a script in which a variant may begin and end anywhere."""


class Span(NamedTuple):
    """A word with its place in the text it was cut from."""

    text: str
    start: int
    end: int


def words(text: str) -> Iterator[Span]:
    """The words of a text in order, each with its first character and the one after its last."""
    for match in WORD.finditer(text):
        yield Span(match.group(), match.start(), match.end())


@lru_cache(maxsize=200_000)
def fold(text: str) -> str:
    """Text as it is compared: folded as for the sweep, accents composed, runs of blanks reduced to one."""
    return " ".join(unicodedata.normalize("NFC", folding.fold(text)).split())


def squeeze(text: str) -> str:
    """Folded text without spaces, hyphens and underscores: data-center, data center and datacenter are equal."""
    return re.sub(r"[\s_\-\u2014]+", "", fold(text))


def without_accents(text: str) -> str:
    """Folded text without combining marks of Latin, Greek and Cyrillic letters; Japanese voicing marks stay."""
    parts = unicodedata.normalize("NFD", fold(text))
    return unicodedata.normalize("NFC", re.sub("[\u0300-\u036f]", "", parts))


Place = tuple[int, int]
Starts = dict[Place, list[tuple[int, int]]]
"""For each line where sentences begin or go on: first character, number of the sentence."""

_END = regex.compile(
    r"(?:[.!?\u2026]+[\"'\u2019\u201d)\]]*(?=\s+[\p{Lu}\p{N}\"'\u201c(\[])|[。！？｡]+[」』）]*)\s*"
)
_END_OF_LINE = regex.compile(r"(?:[.!?\u2026]+[\"'\u2019\u201d)\]]*|[。！？｡]+[」』）]*)\s*$")
_ABBREVIATION = regex.compile(
    r"(?:(?<!\p{L})\p{L}|\b(?:e\.g|i\.e|cf|vs|etc|al|approx|ca|No|Nos|Fig|Figs|Art|Sec|Ch|Vol|pp?|Dr|Mr|Mrs|Ms|Prof|St|Inc|"
    r"Ltd|Co|Corp|bzw|Nr|Abs|z\.B))\.$",
    regex.IGNORECASE,
)


def sentence_starts(lines: Iterable[tuple[Place, str, int]]) -> Starts:
    """First characters of the sentences of each line: a rule that would rather join two sentences than cut one.

    A sentence ends at a full stop, question or exclamation mark that is no part of an abbreviation, and with its
    block, unless the next block goes on with a small letter (a paragraph over two columns or pages).

    Args:
        lines: Place, text and block of each line, in the order of reading.
    """
    starts: Starts = {}
    number, ended = -1, True
    block_before: tuple[int, int] | None = None
    for place, text, block in lines:
        block_here = (place[0], block)
        first = text.lstrip()[:1]
        if block_here != block_before and not (first.islower() and block):
            ended = True
        number += ended
        starts[place] = [(0, number)]
        for match in _END.finditer(text):
            if match.end() < len(text) and not _ABBREVIATION.search(text[: match.end()].rstrip()):
                number += 1
                starts[place].append((match.end(), number))
        ended = _END_OF_LINE.search(text) is not None and not _ABBREVIATION.search(text.rstrip())
        block_before = block_here
    return starts


def sentence_at(starts: Starts, place: Place, char: int) -> int:
    """Number of the sentence in which a character of a line stands."""
    in_line = starts[place]
    return in_line[bisect_right(in_line, (char, 10**9)) - 1][1]


SNIPPET_CHARS = 160
"""A line of so many characters is kept whole; of a longer one, so many around the match."""
ELLIPSIS = "…"


def window(text: str, first: int, last: int, size: int = SNIPPET_CHARS) -> str:
    """Verbatim part of a line: `size` characters, those from first to last - 1 in their middle; more if these are more.

    Where it was cut follows from its length and the place of the match in it (`with_ellipses`): it says nothing itself.

    >>> window("abcdefghij", 4, 6, 4), window("abcdefghij", 0, 2, 4), window("abc", 0, 2, 4)
    ('defg', 'abcd', 'abc')
    """
    if len(text) <= size:
        return text
    start = max(min(first - _before(last - first, size), len(text) - size), 0)
    return text[start : max(start + size, last)]


def with_ellipses(snippet: str, match: str) -> str:
    """The snippet with an ellipsis where its line goes on; as it is where the match does not stand in it.

    >>> line = "a " * 100 + "match" + " b" * 100
    >>> with_ellipses(window(line, 200, 205), "match").strip("… ab"), with_ellipses("a match", "match")
    ('match', 'a match')
    """
    lines, parts = snippet.split("\n"), match.split("\n")
    if len(lines) != len(parts):
        return snippet
    size = SNIPPET_CHARS // len(parts)
    marked = []
    for line, part in zip(lines, parts, strict=True):
        places = [found.start() for found in re.finditer(re.escape(part), line)] if part else []
        if len(line) >= size and places:
            # Near its beginning or end the window of a line does not have the match in its middle.
            middle = _before(len(part), size)
            place = min(places, key=lambda place: abs(place - middle))
            line = (ELLIPSIS if place >= middle else "") + line + (ELLIPSIS if place <= middle else "")
        marked.append(line)
    return "\n".join(marked)


def _before(length: int, size: int) -> int:
    """Characters before a match of this length, if the line has as many on both sides."""
    return max(size - length, 0) // 2


STOP_WORDS = frozenset(
    """a an the this that these those it its he she they them their his her our your my we us you i me who whom whose
    which what when where whether why how is are was were be been being am do does did done doing has have had having can
    could may might must shall should will would not no nor yes and or but if then than so as at by for from in into of
    on onto off over under to with without within about between among across during before after since until till
    through per via any anything anyone all each every some something someone none both either neither only also
    too very just there here such other another same own out up down again ever never exactly please tell me
    don't doesn't didn't isn't aren't wasn't weren't hasn't haven't can't cannot won't what's who's where's how's
    it's there's that's let's""".split()  # noqa: SIM905
)
"""Words of grammar."""

FRAME_WORDS = frozenset(
    """much many more most less least few fewer lot long often far big large kind kinds type types sort number
    amount quantity total level extent share percentage percent rate value figure estimate average
    use usage consume consumption need require requirement cost price spend take make give get go come happen
    mention say state describe contain include report discuss explain cover address refer reference note list name
    found told given measure record observe
    specify define provide present show indicate identify find know tell speak talk give mean apply exist concern
    relate regard according regarding concerning related relevant respect
    document documents report text file paper page pages section chapter passage part content contents
    information detail details statement author authors question answer
    year years today now currently current expected
    thing things way ways reason reasons purpose case cases example examples place""".split()  # noqa: SIM905
)
"""Words that ask, and words for the document itself: not what a question is about."""

TOPICS = frozenset(
    {
        ("going", "concern"), ("going", "concerns"), ("related", "party"), ("related", "parties"),
        ("information", "security"), ("case", "law"), ("use", "case"), ("use", "cases"), ("price", "level"),
        ("text", "mining"), ("reporting", "standard"),
    }
)  # fmt: skip
"""Pairs of words that name a topic together, though one or both of them only ask when they stand alone."""

GERMAN_MARKS = frozenset(
    """wie wieviel welche welcher welches welchen wer wo wann warum gibt der das des und oder nicht ist sind wird werden
    wurde wurden eine einen einer eines von für über im zum zur""".split()  # noqa: SIM905
)
"""A question with one of these is German; its other words of grammar, some of them English words too, count only then."""

GERMAN_WORDS = GERMAN_MARKS | frozenset(
    """die den dem ein einem was wem wen wozu wofür wodurch worüber weshalb wieso viel viele vielen mehr meist meisten
    wenig wenige hoch groß lange oft es er sie wir ihr ich du man sich sein seine ihre ihren in an auf aus bei mit nach
    zu bis um durch gegen ohne unter zwischen vor seit während am vom beim ins ans kein keine keinen keiner hat haben
    hatte war waren kann können könnte muss müssen soll sollen darf dürfen will wollen auch nur noch schon sehr so als
    wenn dann dass ob aber denn doch dort hier da dieser diese dieses diesen jeder jede jedes alle allen etwas jemand
    nichts bitte sagt sagen steht stehen nennt nennen genannt erwähnt erwähnen beschreibt beschreiben enthält enthalten
    berichtet dokument dokuments dokumente bericht berichts text seite seiten abschnitt kapitel angabe angaben
    information informationen frage antwort jahr jahre jahren jahres heute verbraucht verbrauchen verbrauch kostet kosten
    benötigt benötigen nutzt nutzen verwendet verwenden gilt gelten betrifft betreffen insgesamt höhe anzahl menge""".split()  # noqa: SIM905
)

FRAME_CJK = frozenset(
    """何 何人 何年 何件 何処 何時 誰 幾 幾つ 幾ら 文書 文章 資料 書類 記載 記述 記録 言及 説明 報告 報告書
    規定 内容 本文 文中 場合 必要 不要 使用 利用 消費 要求 有無 存在 可能 可否 関連 関係 該当 対象 対応 方法 理由 目的
    具体 具体的 全体 部分 程度 割合 数値 数量 合計 総量 総額 平均 年間 現在 今後
    以上 以下 以外 質問 回答 確認 教示 明記 定義 箇所 場所 項目
    ページ ドキュメント レポート
    什么 甚么 哪些 哪里 哪个 多少 怎么 怎样 如何 为什么 是否 有没有 有无 文件 文档 报告 提到 提及 说明 描述 记载
    包含 内容 使用 消耗 消费 需要 要求 费用 关于 有关 相关 情况 其中 本文 这份 该文 可以 能否
    這份 為什麼 什麼 關於 報告 說明 記載 消耗 費用 需要""".split()  # noqa: SIM905
)
"""The same in Japanese and Chinese."""

SUFFIXES_CJK = frozenset("量率額数等的性内中上下時後前別毎各当本同約计数额时后吗嗎呢了是的之在有与與和或")
"""Single signs that are no topic when they are left of a run: they measure, point, or join Chinese words."""

STEMS_CJK = frozenset(
    "関使用含書示載述言際為及又者物事所他多少教知定行決求申尋問見聞読出入来得受取持付置比認起経至基従伴応通対因依若但"
)
"""Single signs that, alone in a run, begin a Japanese verb or name nothing (関する, 含む, 事); 水 and 税 are topics."""
