"""`/api/1/space`: what takes room on the disk."""

from dayline.api.call import Call


async def get_space(call: Call) -> None:
    """Per bucket and per year, and what belongs to neither. The parts of `database` add up to its `file`.

    Measured by a process of its own while recording goes on; an answer may be some seconds old.
    """
    call.answer_value(await call.services.upkeep.gauge.space())
