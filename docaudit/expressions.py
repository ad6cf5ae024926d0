"""Expert regular expressions, compiled only if that ends in reasonable time.

The regex module writes counted repetitions out when it compiles them, so that `(x{5000}){5000}` takes half a minute
before anything is searched. How often the smallest part is repeated is counted first.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import regex

MAX_REPEATED = 100_000
"""Counted repetitions inside each other may repeat their smallest part so many times."""

_TOKEN = regex.compile(r"\\.|\[(?:\\.|[^\]\\])+\]|\{(\d*)(,?)(\d*)\}[?+]?|[()]|[^\\()]", regex.DOTALL)


@lru_cache(maxsize=1000)
def compile_expression(text: str, flags: int = 0) -> Any:
    """The compiled expression; raises regex.error, with the position where it is known, if it cannot be used."""
    repeated = repetitions(text)
    if repeated > MAX_REPEATED:
        raise regex.error(f"repeats a part {repeated:,} times, more than {MAX_REPEATED:,}: repeat it less")
    try:
        return regex.compile(text, flags)
    except (OverflowError, RecursionError, ValueError) as error:
        raise regex.error(f"{error}: make it simpler") from error


def repetitions(text: str) -> int:
    """How often the smallest part of an expression is repeated by counts inside counts.

    >>> repetitions("(x{50}y){20}"), repetitions("a{3}b{4}"), repetitions("[{9}]+"), repetitions("(?:ab)c")
    (1000, 4, 1, 1)
    """
    opened: list[int] = []
    highest = last = 1
    """Of the group that is open: the most repeated part so far, and the part that a count would repeat."""
    for token in _TOKEN.finditer(text):
        if token[0] == "(":
            opened.append(highest)
            highest = last = 1
        elif token[0] == ")" and opened:
            last, highest = highest, max(highest, opened.pop())
        elif token[1] is not None and (token[1] or token[3]):
            last *= max(int(token[3] or 0), int(token[1] or 0), 1)
            highest = max(highest, last)
        else:
            last = 1
    return max([highest, *opened])
