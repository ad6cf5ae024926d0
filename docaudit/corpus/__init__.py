"""Many documents: a store that holds the parse and the audits of each, and the run that fills it."""
