"""Neighbours by spelling: cosine of character n-grams (scikit-learn), for where no model is installed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from docaudit.wordforms import fold


def similarities(variants: Sequence[str], terms: Sequence[str]) -> npt.NDArray[np.float32]:
    """Cosine (0 to 1) of each variant to each term by the n-grams of two to four letters inside words."""
    # Only here: it takes a second to import.
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, preprocessor=fold, dtype=np.float32
    )
    matrix = vectorizer.fit_transform(terms)
    return np.asarray((vectorizer.transform(variants) @ matrix.T).todense(), dtype=np.float32)
