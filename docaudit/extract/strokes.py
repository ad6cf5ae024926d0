"""Long straight strokes in a mask of ink: rules, axes, grid lines, the sides of frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

Mask = NDArray[np.bool_]

BLUR = 2
"""Pixels by which contrast widens a stroke."""
EIGHT = np.ones((3, 3), dtype=np.int8)
_RULE_PT, _RULE_THICK_PT = 36.0, 3.0
_CROSSED = 0.5


def without_rules(rest: Mask, zoom: float) -> Mask:
    """The ink without long straight strokes that are thin: rules, axes, grid lines, the sides of frames and fills."""
    for turned in (False, True):
        mask = np.ascontiguousarray(rest.T) if turned else rest
        rules = _rules(mask, zoom)
        if rules is not None:
            mask = mask & ~rules
            rest = np.ascontiguousarray(mask.T) if turned else mask
    return rest


def _rules(rest: Mask, zoom: float) -> Mask | None:
    """Long thin strokes from left to right.

    In a coarse picture the letters of a word touch each other, and the row of their middles is long and thin as well;
    but along half of it and more there is ink above or below.
    """
    long = opened(rest, round(_RULE_PT * zoom))
    if long is None:
        return None
    thickness = round(_RULE_THICK_PT * zoom) + BLUR
    rows = _around(np.asarray(long.any(axis=1)), thickness)
    rules = np.zeros_like(rest)
    rules[rows] = _thin(np.ascontiguousarray(rest[rows]), np.ascontiguousarray(long[rows]), thickness)
    return rules


def _around(busy: Mask, margin: int) -> slice:
    """From the first True to the last, and a margin."""
    at = np.flatnonzero(busy)
    return slice(max(0, int(at[0]) - margin), int(at[-1]) + 1 + margin)


def _thin(rest: Mask, long: Mask, thickness: int) -> Mask:
    """Of long strokes those that are thin and straight."""
    solid = opened(np.ascontiguousarray(long.T), thickness)
    thin = long if solid is None else long & ~solid.T
    tall = opened(np.ascontiguousarray(rest.T), thickness)
    if tall is None:
        return thin
    labels, count = ndimage.label(thin, structure=EIGHT)
    sizes = np.bincount(labels[thin], minlength=count + 1)
    crossed = np.bincount(labels[tall.T & thin], minlength=count + 1)
    straight: Mask = np.asarray(crossed <= _CROSSED * sizes)[labels]
    return np.asarray(thin & straight)


def opened(mask: Mask, length: int) -> Mask | None:
    """The stretches of a mask from left to right that have at least this length; None if there is none."""
    starts, stops = runs(mask)
    long = stops - starts >= length
    if not long.any():
        return None
    flat = np.zeros(mask.shape[0] * (mask.shape[1] + 1), dtype=np.bool_)
    for start, stop in zip(starts[long].tolist(), stops[long].tolist(), strict=True):
        flat[start:stop] = True
    return flat.reshape(mask.shape[0], -1)[:, :-1]


def runs(mask: Mask) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Start and stop of each stretch of True in the rows, counted through rows that are one pixel longer."""
    flat = np.zeros(mask.shape[0] * (mask.shape[1] + 1) + 1, dtype=np.bool_)
    flat[1:].reshape(mask.shape[0], -1)[:, :-1] = mask
    edges = np.flatnonzero(flat[1:] != flat[:-1])
    return edges[::2], edges[1::2]
