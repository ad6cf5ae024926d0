"""How a refusal is worded, wherever it comes from: nobody may take it for a finding, and it repeats no password."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

_NO_FINDING = "This is an error, not a finding: it says nothing about what the document mentions."
_MOST = 4000
"""Characters of an error that are told: a table may have a fault in each row."""
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def refusal(cause: str) -> str:
    """The cause, shortened if it is long, and that it is no finding."""
    more = len(cause) - _MOST
    shown = cause if more <= 0 else f"{cause[:_MOST]}… ({more:,} more characters)"
    return str(whole(f"{shown}\n{_NO_FINDING}"))


def faults(error: ValidationError) -> str:
    """What is wrong with arguments, one fault in each line, without the values: one of them may be a password."""
    listed = error.errors(include_url=False, include_input=False, include_context=False)
    return "\n".join(f"{'.'.join(map(str, one['loc'])) or 'arguments'}: {one['msg']}" for one in listed)


def whole(value: Any) -> Any:
    """Without half characters (of broken fonts, or a client's own), which no message can carry."""
    if isinstance(value, str):
        return _HALF_CHARACTER.sub("\ufffd", value)
    if isinstance(value, list):
        return [whole(part) for part in value]
    if isinstance(value, dict):
        return {whole(key): whole(part) for key, part in value.items()}
    return value
