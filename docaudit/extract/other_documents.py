"""Mentions of other documents: "incorporated by reference", "filed separately", 別添, "see the Annual Report".

Such a mention is no fault of the document and no gap in its parse. It is listed, because the answer may stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docaudit.extract.object_names import Mention

DOCUMENT = "document"
"""Type of the objects that are documents of their own."""

_KINDS = (
    r"(?:Annual|Quarterly|Interim|Technical|Main|Full|Final|Progress|Sustainability|Integrated|Current)\s+Reports?"
    r"|Proxy\s+Statements?|Registration\s+Statements?|Prospectus(?:es)?|Offering\s+Memorandum|White\s*[Pp]aper"
    r"|(?:User|Reference|Owner|Operator|Installation|Service)(?:['’]?s['’]?)?\s+(?:Guide|Manual)|Handbook|Circular"
)
_NAME = (
    rf"(?:[A-Z0-9][\w’'&-]*\s+){{0,4}}?(?:{_KINDS})(?:\s+on\s+Form\s+[\w-]+)?"
    r"(?:\s+(?:for|of|dated|as\s+of|filed)\s+(?:the\s+)?(?:(?:fiscal\s+)?year\s+)?(?:ended\s+)?"
    r"(?:[A-Z][a-z]+\s+(?:\d{1,2},?\s+)?)?(?:19|20)\d\d)?"
)
_WHOSE = r"(?:the|our|its|their|his|her|that|such|[A-Z][\w.&-]*(?:\s+[A-Z][\w.&-]*){0,3}['’]s?)\s+"
_BY_REFERENCE = rf"incorporated\s+(?:herein\s+)?by\s+reference\s+(?:to|from|into|in)\s+(?:{_WHOSE})?"
_SEE = rf"(?:\b(?:[Ss]ee|[Rr]efer\s+to|[Cc]onsult)(?:\s+also)?\s+|\b(?:in|from|of|with)\s+)(?:{_WHOSE})"
_MENTION = re.compile(
    rf"(?:{_BY_REFERENCE}|{_SEE})(?P<name>{_NAME})"
    r"|(?P<apart>\b(?:filed|furnished|published|provided|supplied|issued|submitted|bound|attached)\s+separately"
    r"|\bunder\s+separate\s+cover)"
    r"|(?P<annexed>別添(?:資料|書類)?(?!\s*(?:第\s*)?[\d０-９A-ZＡ-Ｚ一二三四五六七八九十])|別冊(?:子)?|別途(?:配布|公表|送付|提出|定める)[^\s。、]{0,8})"
)

_SIGNS = (
    "Report", "Statement", "Prospectus", "Memorandum", "aper", "Guide", "Manual", "Handbook", "Circular",
    "separate", "別",
)  # fmt: skip
"""What a text must hold so that the long pattern can match in it: one of these stands in each of its branches."""


def other_documents(text: str) -> Iterator[Mention]:
    """Mentions of other documents in a text, each with the name that the text gives it.

    >>> [m.object_id for m in other_documents("see the Annual Report for 2020, or our Proxy Statement")]
    ['Annual Report for 2020']
    >>> [m.object_id for m in other_documents("incorporated by reference to our 2019 Proxy Statement")]
    ['2019 Proxy Statement']
    >>> [m.object_id for m in other_documents("The accounts are published separately. 別添のとおり。")]
    ['published separately', '別添']
    """
    for match in _MENTION.finditer(text) if any(sign in text for sign in _SIGNS) else ():
        name = match["name"] or match["apart"] or match["annexed"]
        yield Mention(DOCUMENT, " ".join(name.split()), match.start(), match.end(), match[0])
