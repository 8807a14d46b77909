"""How many examples a property is tried with."""

from hypothesis import settings

_SHARE = 8  # an eighth every day, always the same ones; all of them, and new ones, in the long tests


def examples(many: int, *, daily: int | None = None) -> int:
    """This many in the long tests, fewer in the others: `daily`, or an eighth."""
    if settings.get_current_profile_name() == "long":
        return many
    return many // _SHARE if daily is None else daily
