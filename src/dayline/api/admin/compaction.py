"""`/api/1/compact`: return unused space to the file system."""

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Route
from dayline.model.errors import Unavailable
from dayline.model.upkeep.space import Compacted, Compaction


async def get_compaction(call: Call) -> None:
    """`idle` if none is running; `last` is the result of the last one."""
    call.answer_value(call.tenant.upkeep.compaction())


async def compact_database(call: Call) -> None:
    """Deletes values that no event references, returns free pages to the file system and truncates the log.

    Recording continues while it runs. Compaction continues if the client disconnects.
    """
    call.answer_value(await call.tenant.upkeep.compact())


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/compact", handler=get_compaction, tag="space", scope="read",
        audience="server", engine="sqlite", summary="Show the progress of compaction",
        answer=Answer(type=Compaction, description="the current step, and the last result"),
    ),
    Route(
        method="POST", path="/api/1/compact", handler=compact_database, tag="space", scope="full",
        audience="server", engine="sqlite", summary="Reclaim unused disk space",
        answer=Answer(type=Compacted, description="the result"), errors=(Unavailable,),
    ),
)  # fmt: skip
