"""`/api/1/compact`: giving free room back to the system."""

from dayline.api.call import Call


async def get_compaction(call: Call) -> None:
    """`idle` where none is under way; `last` tells what the last one did."""
    call.answer_value(call.services.upkeep.compaction())


async def compact_database(call: Call) -> None:
    """Removes distinct values that nobody has any more, cuts free pages off the file and empties its log.

    Recording goes on meanwhile, and compaction does where the client does not wait for the answer.
    """
    call.answer_value(await call.services.upkeep.compact())
