"""The error categories of SPEC.md, section 10."""

DECLINED = frozenset(["limit", "version"])


class Refused(Exception):
    """A certificate or program that is not accepted, with the verdict and category of section 10."""

    def __init__(self, category, reason):
        super().__init__(f"{category}: {reason}")
        self.category = category
        self.reason = reason
        self.verdict = "declined" if category in DECLINED else "rejected"


def require(condition, category, reason):
    """Refuse with the category unless the condition holds."""
    if not condition:
        raise Refused(category, reason)
