"""Those who see the same: each audience has a channel of its own, with numbers of its own.

If all shared one, the gaps in the numbers of a key for some buckets would tell how much happens in the others.
"""

from msgspec import Struct

from dayline.access.caller import Caller
from dayline.api.live.messages import TOPICS, Topic
from dayline.model.category_settings import CATEGORIES
from dayline.model.goals import GOAL_SETTINGS
from dayline.model.preferences import PREFERENCES
from dayline.model.reports import REPORT_KEY
from dayline.storage.store import SettingNews

_OF_BUCKETS: frozenset[Topic] = frozenset[Topic](("now", "bucket"))
_OF_READERS: frozenset[Topic] = frozenset(TOPICS) - frozenset[Topic](("job",))


class Audience(Struct, frozen=True):
    """What a caller may hear of. No names at all are all buckets."""

    names: tuple[str, ...]
    is_full: bool

    @property
    def topics(self) -> frozenset[Topic]:
        """Those whose calls it may make, too."""
        if self.names:
            return _OF_BUCKETS
        return frozenset(TOPICS) if self.is_full else _OF_READERS

    def may_hear_of(self, setting: SettingNews) -> bool:
        """Whether there is a call by which it may read the setting."""
        if self.names:
            return False
        key = setting.key
        is_read = key in PREFERENCES or key in GOAL_SETTINGS or key == CATEGORIES or key.startswith(REPORT_KEY)
        return self.is_full or not setting.is_own or is_read


def audience_of(caller: Caller) -> Audience:
    """Where somebody belongs."""
    names = tuple(sorted(set(caller.buckets.names)))
    return Audience(names, caller.may("full") and not names)
