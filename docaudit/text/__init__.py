"""Text as it is compared: folding, words, English forms, the vocabulary of a document."""
