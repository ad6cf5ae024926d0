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
    solid = opened(np.ascontiguousarray(long.T), thickness)
    thin = long if solid is None else long & ~solid.T
    tall = opened(np.ascontiguousarray(rest.T), thickness)
    if tall is None:
        return thin
    labels, count = ndimage.label(thin, structure=EIGHT)
    sizes = np.bincount(labels.ravel(), minlength=count + 1)
    crossed = np.bincount(labels[tall.T], minlength=count + 1)
    straight: Mask = np.asarray(crossed <= _CROSSED * sizes)[labels]
    return np.asarray(thin & straight)


def opened(mask: Mask, length: int) -> Mask | None:
    """The stretches of a mask from left to right that have at least this length; None if there is none."""
    starts, stops = runs(mask)
    long = stops - starts >= length
    if not long.any():
        return None
    width = mask.shape[1] + 1
    steps = np.zeros(mask.shape[0] * width + 1, dtype=np.int8)
    steps[starts[long]] = 1
    steps[stops[long]] -= 1
    return np.asarray(np.cumsum(steps, dtype=np.int8)[:-1].reshape(-1, width)[:, :-1]).view(np.bool_)


def runs(mask: Mask) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """Start and stop of each stretch of True in the rows, counted through rows that are one pixel longer."""
    flat = np.zeros((mask.shape[0], mask.shape[1] + 1), dtype=np.int8)
    flat[:, :-1] = mask
    steps = np.diff(flat.ravel(), prepend=np.int8(0))
    return np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)
