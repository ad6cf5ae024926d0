"""When a question-answering tool should hold back, and how well it does."""
