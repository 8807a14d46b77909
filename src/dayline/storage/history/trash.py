"""What every backend promises about the trash: acts that can be undone, for a while."""

from typing import Final, Protocol

from msgspec import Struct

from dayline.config.sections import TrashSettings
from dayline.model.upkeep import TrashItem, Undone


class TrashPolicy(Struct, frozen=True, kw_only=True):
    """How long undo entries are kept (0 days: not at all), and how often expired ones are deleted."""

    days: int = TrashSettings().days
    interval_s: float = 3600.0


TRASH_POLICY: Final = TrashPolicy()


class Trash(Protocol):
    """Acts that destroyed or changed something, and the way back from each."""

    def all(self) -> list[TrashItem]:
        """What can be undone, the newest first. Read on a thread."""
        ...

    def item(self, act: int) -> TrashItem:
        """One of them. Raises NotFound or Gone. Read on a thread."""
        ...

    async def undo(self, act: int, *, is_merging: bool = True) -> Undone:
        """Restore ids, times, data and metadata of all that the act changed; all or nothing.

        A bucket that was made again meanwhile is merged with the restored one, unless `is_merging` is False. Raises
        NotFound, Gone when it was undone or is no longer kept, Conflict where something else was changed since.
        """
        ...

    async def empty(self, act: int | None = None) -> int:
        """Let go of one act, or of all; how many there were. Raises NotFound."""
        ...
