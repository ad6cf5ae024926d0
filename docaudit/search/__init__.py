"""How text is searched: what docaudit.sweep is made of, each module standing on those before it.

folding, normalize     text as it is compared, with a map back to the page
scripts, inflect       boundaries by script; forms of a word
pagelines, layout      lines of a page and how they lie
readings, glyphs, gutters, breaks, flows
                       the ways in which lines may continue, and other readings of them
gaps, patterns         what may stand between two characters of a variant
searchable, matching   candidates and their confirmation
findings, fuzzy, hits, expert
                       hits with place and kind; misreadings of OCR; the expert's own regular expressions
"""
