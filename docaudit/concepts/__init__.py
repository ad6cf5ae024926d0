"""The expert's concept table: read, checked, linted, changed."""
