"""Text reduced to its letters and digits, for comparing titles that are set in different ways."""

from __future__ import annotations

import unicodedata


def letters_of(text: str) -> str:
    """Letters and digits in compatibility form and lower case, nothing else.

    >>> letters_of("Ｆｉｇｕｒｅ 3.D – Energy prices")
    'figure3denergyprices'
    """
    folded = text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return "".join(char for char in folded if char.isalnum())
