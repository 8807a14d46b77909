"""What works on one file besides its writer."""

from msgspec import Struct

from dayline.storage.sqlite.edits import SqliteEdits
from dayline.storage.sqlite.merges import SqliteMerges
from dayline.storage.sqlite.moves import SqliteMoves
from dayline.storage.sqlite.redactions import SqliteRedactions
from dayline.storage.sqlite.segment_keeper import SegmentKeeper
from dayline.storage.sqlite.trash import SqliteTrash


class Keepers(Struct, frozen=True):
    """What works on one file besides the writer: made anew where another file is used."""

    segments: SegmentKeeper
    redactions: SqliteRedactions
    merges: SqliteMerges
    trash: SqliteTrash
    moves: SqliteMoves
    edits: SqliteEdits

    def start(self) -> None:
        """Begin the work in the background. Called on the event loop, where this process may write."""
        for keeper in (self.segments, self.redactions, self.merges, self.trash):
            keeper.start()

    async def close(self) -> None:
        for keeper in (self.trash, self.merges, self.redactions, self.segments):
            await keeper.close()
