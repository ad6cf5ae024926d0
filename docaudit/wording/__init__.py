"""A language model chooses among what the evidence allows, if the user asks for it; the finding is never its own."""
