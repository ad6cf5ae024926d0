"""The file of a concept table, both ways: cells -> rows -> the table of docaudit.concepts, and back."""
