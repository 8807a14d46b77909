"""`/api/1/privacy`: rules for incoming events, and redactions of stored ones."""

from typing import Annotated

from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.route import BUCKET_ID, Answer, Body, Parameter, Route
from dayline.api.v0.documents import RedactionView, RulesView, RuleView
from dayline.model.errors import Conflict, DaylineError, Gone, Invalid, Malformed, NotFound
from dayline.model.privacy.plain import NEVER, Never, never_record
from dayline.model.privacy.redaction import RedactionOrder, RedactionPreview, RedactionRequest
from dayline.model.privacy.rules import PrivacyRule, placed
from dayline.runtime.threads import in_thread
from dayline.transform.privacy import PrivacyRules


async def get_privacy_rules(call: Call) -> None:
    """The rules of the setting `privacy_filters` first, then Dayline's own, each in order."""
    call.answer_value(call.tenant.privacy.rules.book)


async def set_privacy_rules(call: Call) -> None:
    """Replaces all of Dayline's own rules. The setting `privacy_filters` does not change.

    The rules apply to every event that arrives after the response. If one rule is invalid, the whole list is rejected.
    Stored events do not change; see `POST /api/1/privacy/preview` and `POST /api/1/privacy/apply`.
    """
    rules = await call.decoded(list[PrivacyRule])
    await call.tenant.privacy.set_rules(rules, call.access)
    call.answer_value(call.tenant.privacy.rules.book)


async def get_plain_rule(call: Call) -> None:
    """The rule that never records an app, a site with its subdomains, or titles that contain a text.

    Nothing is changed: add it with `PUT /api/1/privacy/rules`, and apply it to stored events with
    `POST /api/1/privacy/apply`.
    """
    given: list[tuple[Never, str]] = [
        (kind, value) for kind in NEVER if (value := call.request.get_param(kind)) is not None
    ]
    if len(given) != 1:
        raise Malformed("one of `app`, `site` and `title` is required", hint="send ?app=Signal")
    call.answer_value(never_record(*given[0]))


async def preview_redaction(call: Call) -> None:
    """How many events each rule would change or drop in each bucket, with the longest examples.

    Without `rules`, it previews the rules in force. Nothing is changed.
    """
    order = await _order(call)
    call.answer_value(await call.store.redactions.preview(order))


async def apply_redaction(call: Call) -> None:
    """Changes and drops stored events as the rules would have done when the events arrived.

    Recording continues while it runs. It does not cover events that arrive while it runs; the rules in force do. You
    can undo a redaction until it is made final.
    """
    order = await _order(call)
    call.answer_value(await call.store.redactions.apply(order))


async def list_redactions(call: Call) -> None:
    """The newest first. A redaction in state `applying` or `undoing` is still running, and resumes after a restart."""
    call.answer_value(await in_thread(call.store.redactions.all))


async def undo_redaction(call: Call) -> None:
    """Restores the id, time and data of every event that it changed or dropped, unless the event was changed since.

    The latest redaction must be undone first.
    """
    call.answer_value(await call.store.redactions.undo(call.path_id("redaction_id", _no_redaction)))


async def make_redaction_final(call: Call) -> None:
    """Overwrites the originals on disk: in the database, its log and all derived files. This cannot be undone.

    The earliest redaction must be made final first.
    """
    call.answer_value(await call.store.redactions.make_final(call.path_id("redaction_id", _no_redaction)))


async def _order(call: Call) -> RedactionOrder:
    request = await call.decoded(RedactionRequest)
    rules = call.tenant.privacy.rules
    if request.rules is not None:
        try:
            rules = await in_thread(PrivacyRules.of, None, request.rules)
        except DaylineError as error:
            raise placed(error, "rules") from error
    if rules.is_empty:
        raise Invalid("there are no rules to apply", hint="send `rules`, or set some with PUT /api/1/privacy/rules")
    return RedactionOrder(book=rules.book, buckets=request.buckets, samples=request.samples)


def _no_redaction(text: str) -> NotFound:
    return NotFound(f"there is no redaction {text[:40]!r}", hint="GET /api/1/privacy/redactions lists the redactions")


_RULE = {"field": "title", "pattern": "(?i)payroll", "action": "redact", "replacement": "REDACTED"}
_REDACTION = {"rules": [_RULE], "buckets": [BUCKET_ID]}
_REDACTION_PATH = "/api/1/privacy/redactions/{redaction_id}"

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/privacy/rules", handler=get_privacy_rules, tag="privacy", scope="full",
        audience="all buckets", summary="List the privacy rules",
        answer=Answer(type=RulesView, description="all rules, in force or not"),
    ),
    Route(
        method="PUT", path="/api/1/privacy/rules", handler=set_privacy_rules, tag="privacy", scope="full",
        audience="all buckets", is_destructive=True, summary="Replace Dayline's own privacy rules",
        body=Body(type=list[PrivacyRule], example=[_RULE]),
        answer=Answer(type=RulesView, description="all rules after the change"),
    ),
    Route(
        method="GET", path="/api/1/privacy/rule", handler=get_plain_rule, tag="privacy", scope="full",
        audience="all buckets", summary="Get the rule that never records something",
        parameters=(
            Parameter(name="app", type=Annotated[str, Meta(examples=["Signal"])], description="the name of an app"),
            Parameter(name="site", type=str, description="a site, which includes its subdomains"),
            Parameter(name="title", type=str, description="a text that titles contain"),
        ),
        answer=Answer(type=RuleView, description="the rule"), errors=(Malformed, Invalid),
        needs_a_parameter=True,
    ),
    Route(
        method="POST", path="/api/1/privacy/preview", handler=preview_redaction, tag="privacy", scope="full",
        audience="all buckets", summary="Preview a redaction of stored events",
        body=Body(type=RedactionRequest, example=_REDACTION),
        answer=Answer(type=RedactionPreview, description="counts and samples"),
    ),
    Route(
        method="POST", path="/api/1/privacy/apply", handler=apply_redaction, tag="privacy", scope="full",
        audience="all buckets", is_destructive=True, summary="Redact stored events",
        body=Body(type=RedactionRequest, example=_REDACTION),
        answer=Answer(type=RedactionView, description="the redaction, with the id to undo it"),
    ),
    Route(
        method="GET", path="/api/1/privacy/redactions", handler=list_redactions, tag="privacy", scope="full",
        audience="all buckets", summary="List the redactions",
        answer=Answer(type=list[RedactionView], description="the redactions, the newest first"),
    ),
    Route(
        method="POST", path=f"{_REDACTION_PATH}/undo", handler=undo_redaction, tag="privacy", scope="full",
        audience="all buckets", is_destructive=True, summary="Undo a redaction",
        answer=Answer(type=RedactionView, description="the redaction"),
        errors=(NotFound, Conflict, Gone),
    ),
    Route(
        method="POST", path=f"{_REDACTION_PATH}/final", handler=make_redaction_final, tag="privacy",
        scope="full", audience="all buckets", is_destructive=True, summary="Make a redaction final",
        answer=Answer(type=RedactionView, description="the redaction"), errors=(NotFound, Conflict),
    ),
)  # fmt: skip
