"""What is odd in a concept table: the rules, and the codes of what they find."""
