"""JSON of a client, taken as it is written or not at all: nothing in it may be lost before anybody looks at it."""

from __future__ import annotations

import json
from typing import Any


def strictly(text: str | bytes) -> Any:
    """What the JSON says.

    Raises ValueError with the reason: it is no JSON, is nested too deeply, has a name twice in one object (the first
    would be lost, and with it what was to be searched), or half a character, which no document and no answer can have.

    >>> strictly('{"AI": ["AI"], "AI": ["machine learning"]}')
    Traceback (most recent call last):
    ValueError: 'AI' stands there twice
    """
    try:
        found = json.loads(text, object_pairs_hook=_single)
        json.dumps(found, ensure_ascii=False).encode()
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    except UnicodeEncodeError as error:
        raise ValueError("it has half a character (a surrogate without its other half)") from error
    return found


def _single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name!r} stands there twice")
        found[name] = value
    return found
