"""`/api/1/privacy`: rules for incoming events, and redactions of stored ones."""

import msgspec

from dayline.api.http.call import Call
from dayline.api.http.route import BUCKET_ID, Answer, Body, Route
from dayline.api.v0.documents import StatedRedaction, StatedRules
from dayline.model.data import decode_body
from dayline.model.errors import Conflict, DaylineError, Gone, Invalid, NotFound
from dayline.model.privacy import PrivacyRule, RedactionOrder, RedactionPreview, RedactionRequest, placed
from dayline.runtime.threads import in_thread
from dayline.transform.privacy import PrivacyRules

_rules = msgspec.json.Decoder(list[PrivacyRule])
_request = msgspec.json.Decoder(RedactionRequest)


async def get_privacy_rules(call: Call) -> None:
    """Those of the setting `privacy_filters` come first, then Dayline's own, each in order."""
    call.answer_value(call.tenant.privacy.rules.book)


async def set_privacy_rules(call: Call) -> None:
    """Takes the place of all rules of Dayline's own, and leaves the setting `privacy_filters` alone.

    They are in force for every event that arrives after the answer. A list in which one rule cannot be used is refused
    as a whole. What is stored already is not changed: see preview and apply.
    """
    rules = decode_body(await call.json_body(), _rules)
    await call.tenant.privacy.set_rules(rules, call.access)
    call.answer_value(call.tenant.privacy.rules.book)


async def preview_redaction(call: Call) -> None:
    """For each rule and bucket: how much it would change or drop, and the examples that last longest.

    Without `rules`, those in force are tried. Nothing is changed.
    """
    order = await _order(call)
    call.answer_value(await call.store.redactions.preview(order))


async def apply_redaction(call: Call) -> None:
    """Changes and drops events that are stored already, as the rules would have done when they arrived.

    Recording goes on meanwhile. Events that arrive during it are not covered: rules in force see to those. It can be
    undone until it is made final.
    """
    order = await _order(call)
    call.answer_value(await call.store.redactions.apply(order))


async def list_redactions(call: Call) -> None:
    """The newest first. One that is `applying` or `undoing` goes on, also after a restart."""
    call.answer_value(await in_thread(call.store.redactions.all))


async def undo_redaction(call: Call) -> None:
    """Every event that it changed or dropped has its id, time and data again, unless somebody has changed it since.

    The latest redaction has to be undone first.
    """
    call.answer_value(await call.store.redactions.undo(_redaction_id(call)))


async def make_redaction_final(call: Call) -> None:
    """The originals are overwritten on disk, in the database, its log and all that was derived from them.

    It cannot be undone then. The earliest redaction has to be made final first.
    """
    call.answer_value(await call.store.redactions.make_final(_redaction_id(call)))


async def _order(call: Call) -> RedactionOrder:
    request = decode_body(await call.json_body(), _request)
    rules = call.tenant.privacy.rules
    if request.rules is not None:
        try:
            rules = await in_thread(PrivacyRules.of, None, request.rules)
        except DaylineError as error:
            raise placed(error, "rules") from error
    if rules.is_empty:
        raise Invalid("there is no rule to apply", hint="give rules, or set some with PUT /api/1/privacy/rules")
    return RedactionOrder(book=rules.book, buckets=request.buckets, samples=request.samples)


def _redaction_id(call: Call) -> int:
    number = call.path_number("redaction_id")
    if number is not None:
        return number
    text = call.params["redaction_id"]
    raise NotFound(f"there is no redaction {text[:40]!r}", hint="GET /api/1/privacy/redactions lists them")


# Routes.


_RULE = {"field": "title", "pattern": "(?i)payroll", "action": "redact", "replacement": "REDACTED"}
_REDACTION = {"rules": [_RULE], "buckets": [BUCKET_ID]}
_REDACTION_PATH = "/api/1/privacy/redactions/{redaction_id}"

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/privacy/rules", handler=get_privacy_rules, tag="privacy", scope="full",
        is_server_wide=True, summary="List the privacy rules",
        answer=Answer(type=StatedRules, description="every rule, in force or not"),
    ),
    Route(
        method="PUT", path="/api/1/privacy/rules", handler=set_privacy_rules, tag="privacy", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace Dayline's own privacy rules",
        body=Body(type=list[PrivacyRule], example=[_RULE]),
        answer=Answer(type=StatedRules, description="every rule as it is now"),
    ),
    Route(
        method="POST", path="/api/1/privacy/preview", handler=preview_redaction, tag="privacy", scope="full",
        is_server_wide=True, summary="Preview what rules would change in history",
        body=Body(type=RedactionRequest, example=_REDACTION),
        answer=Answer(type=RedactionPreview, description="how much, and samples"),
    ),
    Route(
        method="POST", path="/api/1/privacy/apply", handler=apply_redaction, tag="privacy", scope="full",
        is_server_wide=True, is_destructive=True, summary="Apply rules to history",
        body=Body(type=RedactionRequest, example=_REDACTION),
        answer=Answer(type=StatedRedaction, description="what was done, and the id that undoes it"),
    ),
    Route(
        method="GET", path="/api/1/privacy/redactions", handler=list_redactions, tag="privacy", scope="full",
        is_server_wide=True, summary="List the redactions", 
        answer=Answer(type=list[StatedRedaction], description="latest first"),
    ),
    Route(
        method="POST", path=f"{_REDACTION_PATH}/undo", handler=undo_redaction, tag="privacy", scope="full",
        is_server_wide=True, is_destructive=True, summary="Undo a redaction",
        answer=Answer(type=StatedRedaction, description="the redaction as it is now"),
        errors=(NotFound, Conflict, Gone),
    ),
    Route(
        method="POST", path=f"{_REDACTION_PATH}/final", handler=make_redaction_final, tag="privacy",
        scope="full", is_server_wide=True, is_destructive=True, summary="Make a redaction final",
        answer=Answer(type=StatedRedaction, description="the redaction as it is now"), errors=(NotFound, Conflict),
    ),
)  # fmt: skip
