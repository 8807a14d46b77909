"""Window titles without what changes while the window stays the same: counters, frame rates, marks of unsaved work."""

import re
from typing import Final

_COUNTER: Final = re.compile(r"^\(\d+\)\s*")
_FRAME_RATE: Final = re.compile(r"FPS:\s+[\d.]+")
_MARK: Final = re.compile(r"^[●*]\s*")


def simplified(title: str, *, has_app: bool, is_title: bool) -> str:
    """The title of a window, simplified; any other text loses its leading counter only.

    In this order: what stands before a counter keeps it, so `* (3) foo` becomes `(3) foo`.
    """
    title = _COUNTER.sub("", title)
    if not (has_app and is_title):
        return title
    return _MARK.sub("", _FRAME_RATE.sub("FPS: ...", title))
