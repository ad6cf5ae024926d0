"""A language model words the explanation, if the user asks for it; what it returns is checked before it is taken.

Read in this order: reword (what happens), request (what is sent), answer (what comes back), checks (what may stand;
numbers, claims, quotes and plain_words are parts of it), endpoint (the only module that talks to a network).
"""

from docaudit.wording.checks import allowed_reasons, wording_problems
from docaudit.wording.endpoint import Endpoint
from docaudit.wording.reword import reworded, worded_again

__all__ = ["Endpoint", "allowed_reasons", "reworded", "worded_again", "wording_problems"]
