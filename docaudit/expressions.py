"""How large a regular expression grows when its counted repetitions are written out: (x{9}){9} is 81 times x.

The engine writes them out when it compiles, without any time limit: (x{5000}){5000} takes half a minute and
gigabytes before the search has begun.
"""

from __future__ import annotations

import re

LARGEST = 50_000
"""Elements that an expression may grow to; compiling so many takes a fraction of a second."""
TOO_LARGE = f"its repetitions, written out, are more than {LARGEST:,} elements; use smaller counts"

_PART = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?P<open>\()|(?P<close>\))|\{(?P<low>\d*)(?:,(?P<high>\d*))?\}|(?P<mark>[*+?|])|.",
    re.DOTALL,
)


def written_out(pattern: str) -> int:
    """Elements of an expression with all counted repetitions written out.

    >>> written_out("abc"), written_out("(ab{3}){10}"), written_out(r"(x{5000}){5000}")
    (3, 40, 25000000)
    """
    sizes, last = [0], 0
    for part in _PART.finditer(pattern):
        if part["open"]:
            sizes.append(0)
            last = 0
        elif part["close"] and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        elif part["low"] is not None:
            times = max(_number(part["low"]), _number(part["high"]), 1)
            sizes[-1] += last * (times - 1)
            last *= times
        elif not part["mark"]:
            last = 1
            sizes[-1] += 1
    return sum(sizes)


def _number(digits: str | None) -> int:
    return int(digits[:9]) if digits else 0
