"""The elusion test: draw pages that the search left, have them read by a person, and bound what it missed."""
