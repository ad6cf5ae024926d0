"""Whether an answer says that there is none: a rule of thumb for English and Japanese, to be replaced where it fails.

It looks for usual phrases in the first two sentences, so that "There is no mention of steel. Copper costs more" counts
as declined. It knows no irony, no other language, and takes "I cannot say enough good of it" for what it is not.
What follows from a wrong guess: an answer taken for none is audited all the same and stays in the result (`said`); one
that declines in other words is passed on as an answer, with the passages that were retrieved.
"""

from __future__ import annotations

from collections.abc import Callable

import regex

Declines = Callable[[str], bool]
"""Says of an answer whether it declines."""

_SENTENCE = regex.compile(r".+?(?:[.!?](?=\s|$)|[。！？]|$)", regex.DOTALL)
_VERBS = "mention contain provide include specify state say address discuss give offer have cover find disclose report"
_DONE = "mentioned specified stated provided found available disclosed addressed discussed"
_ENGLISH = regex.compile(
    rf"""
    \b(?:do|does|did|could|can|ca|was|were|am|is|are|has|have)(?:\ not|n['’]t)\ (?:\w+\ ){{0,2}}
        (?:know|answer|determine|find|locate|tell|say|sure|aware|{"|".join(_VERBS.split())})
    |\bcannot\ (?:\w+\ )?(?:answer|determine|find|tell|say|be\ (?:answered|determined|found))
    |\bunable\ to\ (?:\w+\ )?(?:answer|determine|find|tell|provide)
    |(?:\b(?:not|no|never)|n['’]t)\ (?:\w+\ ){{0,2}}(?:{"|".join(_DONE.split())})\b
    |\bno\ (?:\w+\ ){{0,2}}(?:information|mention|answer|data|evidence|details|reference|context|results?)\b
    |\bnothing\ (?:\w+\ ){{0,3}}(?:found|mentioned|stated|said|available)\b
    |\bnone\ of\ the\ (?:\w+\ ){{0,3}}(?:{"|".join(_VERBS.split())})s?\b
    |\bno\ idea\b
    |\bnot\ (?:in|within|part\ of)\ the\ (?:\w+\ ){{0,2}}(?:text|context|documents?|reports?|passages?|sources?)\b
    |(?:\binsufficient|(?:\bnot|n['’]t)\ enough)\ (?:information|context|data|evidence)
    |\bI['’]m\ (?:sorry|afraid)\b
    |^\W*(?:none|null|n/a|unknown|empty\ response|no\ answer|unanswerable|not[\ _]found)\W*$
    """,
    regex.IGNORECASE | regex.VERBOSE,
)
_JAPANESE = regex.compile(
    r"^\W*(?:記載|該当|情報)?(?:なし|無し|不明)\W*$|知りません|触れられてい(?:ない|ません)|(?:提供|開示)されてい(?:ない|ません)"
    r"|(?:分|わ|判)かり(?:ません|かね)|分からない|わからない|不明です|存じません|(?:お)?答え(?:られ|でき|いたしかね)|回答(?:でき|いたしかね)"
    r"|(?:情報|記載|記述|言及|説明|データ)[はがもの]?(?:一切|特に|直接)?(?:ありません|ない|なく|ございません|見つか|見当た|含まれてい(?:ない|ません)|されてい(?:ない|ません)|不足)"
    r"|見つかりません|見当たりません|確認できません|特定できません|判断できません"
)


def says_nothing(answer: str) -> bool:
    """Whether an answer is empty or declines in one of the usual phrases.

    >>> says_nothing("I don't know."), says_nothing("この文書には記載がありません。"), says_nothing("Empty Response")
    (True, True, True)
    >>> says_nothing("Electricity use rose by 4 %."), says_nothing("電力の消費は4％増えた。")
    (False, False)
    """
    text = answer.strip()
    if not any(map(str.isalnum, text)):
        return True
    beginning = "".join(match[0] for match in list(_SENTENCE.finditer(text))[:2])
    return bool(_ENGLISH.search(beginning) or _JAPANESE.search(beginning))
