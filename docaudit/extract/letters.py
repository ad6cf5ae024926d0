"""Text reduced to its letters and digits, for comparing titles that are set in different ways."""

from __future__ import annotations

import re
import unicodedata

_NEITHER = re.compile(r"[\W_]+")


def letters_of(text: str) -> str:
    """Letters and digits in compatibility form and lower case, nothing else.

    >>> letters_of("Ｆｉｇｕｒｅ 3.D – Energy prices")
    'figure3denergyprices'
    """
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return _NEITHER.sub("", folded)
