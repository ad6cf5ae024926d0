"""A language model words the explanation, if the user asks for it; what it returns is checked before it is taken."""
