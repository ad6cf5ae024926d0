"""Candidates for a concept table from the words of documents: the expert decides, the program only proposes.

passages -> terms (n-grams, counted) -> near an accepted variant by acronym, spelling or meaning -> ranked, grouped
"""
