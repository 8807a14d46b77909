"""`/api/1/retention`: which buckets are thinned when they are old."""

import msgspec
from msgspec import Struct

from dayline.api.call import Call
from dayline.model.retention import RetentionRule
from dayline.model.wire import decode_body


class RetentionTrial(Struct, frozen=True, kw_only=True):
    """Rules to try; without them, those in force."""

    rules: list[RetentionRule] | None = None


_rules = msgspec.json.Decoder(list[RetentionRule])
_trial = msgspec.json.Decoder(RetentionTrial)


def decode_rules(text: bytes) -> list[RetentionRule]:
    """Rules as they were sent, or stored. Raises Malformed or Invalid."""
    return decode_body(text, _rules)


async def get_retention(call: Call) -> None:
    """There are none by default: nothing is thinned then."""
    call.answer_value(await call.services.upkeep.view())


async def set_retention(call: Call) -> None:
    """Takes the place of all rules; an empty list turns retention off. Nothing is thinned by this call.

    They are applied once a day, and by `POST /api/1/retention/apply`: events older than `days`, of equal data, that
    began within one hour (UTC) become one event. It begins with the first of them, has the lowest id, and lasts as long
    as all of them together.
    """
    rules = decode_rules(await call.json_body())
    await call.services.upkeep.set_rules(rules, call.access)
    call.answer_value(await call.services.upkeep.view())


async def preview_retention(call: Call) -> None:
    """For each bucket that a rule fits: events now and after. Nothing is changed."""
    trial = decode_body(await call.json_body(), _trial)
    call.answer_value(await call.services.upkeep.preview(trial.rules))


async def apply_retention(call: Call) -> None:
    """Thins now, rather than once a day. Each bucket can be undone by its `undo` while the trash keeps it.

    Recording goes on meanwhile, and thinning does where the client does not wait for the answer.
    """
    call.answer_value(await call.services.upkeep.apply())
