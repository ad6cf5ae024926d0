"""A justification as JSON, text on a terminal, HTML and tables; needs nothing but the justification itself."""
