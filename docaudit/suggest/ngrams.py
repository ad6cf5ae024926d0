"""Neighbours by spelling: cosine of character n-grams (scikit-learn), for where no model is installed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from docaudit.wordforms import fold


class Letters:
    """Terms as counts of their n-grams of two to four letters inside words."""

    def __init__(self, terms: Sequence[str]) -> None:
        """Count the n-grams of the terms."""
        # Only here: it takes a second to import.
        from sklearn.feature_extraction.text import TfidfVectorizer

        self._vectorizer = TfidfVectorizer(
            analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True, preprocessor=fold, dtype=np.float32
        )
        self._terms = self._vectorizer.fit_transform(terms).T.tocsr()

    def similarities(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Cosine (0 to 1) of each text to each term."""
        return np.asarray((self._vectorizer.transform(texts) @ self._terms).todense(), dtype=np.float32)
