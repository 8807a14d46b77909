"""`/api/1/space`: what takes room on the disk."""

from dayline.api.call import Call


async def get_space(call: Call) -> None:
    """Per bucket and per year, and what belongs to neither. The parts of `database` add up to its `file`.

    Measured while recording goes on; an answer may be some seconds old. On PostgreSQL it is an estimate of what the
    caller's own data take.
    """
    call.answer_value(await call.services.upkeep.gauge.space())
