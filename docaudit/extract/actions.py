"""Where links and buttons lead: addresses and file names in the actions of annotations, fields and bookmarks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from docaudit.extract.objects import entries, get, is_dict, text_of

_MAX_ACTIONS = 100
_FILE = ("UF", "F", "Unix", "DOS", "Mac", "Desc")


def action_texts(holder: Any) -> list[str]:
    """Addresses and file names in all actions of an object; an address with codes also as it reads without them."""
    actions = [get(holder, "A"), get(holder, "PA")]
    actions += [action for _, action in entries(get(holder, "AA"))]
    found: list[str] = []
    for action in actions:
        for number, step in enumerate(_chain(action)):
            if number >= _MAX_ACTIONS:
                break
            found += _targets(step)
    plain = [unquote(text) for text in found if "%" in text]
    return [text for text in dict.fromkeys([*found, *plain]) if text]


def _chain(action: Any) -> Iterator[Any]:
    while is_dict(action):
        yield action
        action = get(action, "Next")


def _targets(action: Any) -> Iterator[str]:
    yield text_of(get(action, "URI"))
    for key in ("F", "Win"):
        target = get(action, key)
        yield text_of(target)
        if is_dict(target):
            yield from (text_of(get(target, name)) for name in _FILE)
    yield text_of(get(action, "T", "N"))
