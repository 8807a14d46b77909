"""How many examples a property is tried with."""

from hypothesis import settings

_SHARE = 5  # a fifth every day, always the same ones; all of them, and new ones, in the long tests


def examples(many: int) -> int:
    """So many in the long tests, fewer in the others."""
    return many if settings.get_current_profile_name() == "long" else many // _SHARE
