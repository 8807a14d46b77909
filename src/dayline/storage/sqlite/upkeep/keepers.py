"""What works on one file besides its writer."""

from msgspec import Struct

from dayline.storage.sqlite.derived.segment_keeper import SegmentKeeper
from dayline.storage.sqlite.history.edits import SqliteEdits
from dayline.storage.sqlite.history.merges import SqliteMerges
from dayline.storage.sqlite.history.moves import SqliteMoves
from dayline.storage.sqlite.history.trash import SqliteTrash
from dayline.storage.sqlite.redaction.redactions import SqliteRedactions


class Keepers(Struct, frozen=True):
    """What works on one file besides the writer: made anew where another file is used."""

    segments: SegmentKeeper
    redactions: SqliteRedactions
    merges: SqliteMerges
    trash: SqliteTrash
    moves: SqliteMoves
    edits: SqliteEdits

    def start(self) -> None:
        """Begin with what they do in the background. Called on the event loop."""
        for keeper in (self.segments, self.redactions, self.merges, self.trash):
            keeper.start()

    async def close(self) -> None:
        for keeper in (self.trash, self.merges, self.redactions, self.segments):
            await keeper.close()
