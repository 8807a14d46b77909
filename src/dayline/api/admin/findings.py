"""`/api/1/doctor`: problems in the data, and fixing them."""

from typing import Annotated, Final

from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.maintenance.findings.inspector import GAP
from dayline.model.errors import Conflict, Malformed, NotFound, Unavailable
from dayline.model.time import SECOND, Microseconds
from dayline.model.upkeep.findings import FINDING_KINDS, FindingKind, Findings, FixRequest, FixResult

MAX_GAP_MINUTES: Final = 1_000_000  # about two years


async def get_findings(call: Call) -> None:
    """For each kind and bucket: how many events and how much time are affected, examples, and what a fix would do.

    The kinds are `duplicates` (same start, duration and data), `overlaps` of a second or more, `negative` durations,
    `future` events (more than a day ahead), `zero_length` events that the next event makes redundant, and `gaps`: times
    without an event in a bucket while other buckets of its host have some. Buckets of browsers, editors and stopwatches
    have events only while those are in use; their gaps are reported only if `bucket` names one. A bucket or kind that
    is not in the response has no findings.
    """
    bucket, gap = call.request.get_param("bucket"), _gap(call)
    call.answer_value(await call.tenant.inspector.find(call.store, _kinds(call), bucket=bucket, gap=gap))


async def fix_findings(call: Call) -> None:
    """Fixes one kind, in one bucket or in all, in short steps while recording continues.

    With `dry_run` nothing is changed, and the response shows what would be. Otherwise the response has an `undo` for
    each bucket, which is valid until the trash expires. Overlaps are fixed only in buckets with one state at a time
    (windows, tabs, away status). Gaps cannot be fixed.
    """
    request = await call.decoded(FixRequest)
    inspector = call.tenant.inspector
    if request.dry_run:
        call.answer_value(await inspector.preview(call.store, request))
        return
    call.note_destruction()
    call.answer_value(await inspector.fix(call.store, request))


def _kinds(call: Call) -> list[FindingKind]:
    text = call.request.get_param("kinds")
    if not text:
        return list(FINDING_KINDS)
    wanted = [kind.strip() for kind in text.split(",")]
    for kind in wanted:
        if kind not in FINDING_KINDS:
            raise Malformed(
                f"unknown kind of finding {kind[:40]!r}", hint=f"kinds: {', '.join(FINDING_KINDS)}", field="kinds"
            )
    return [kind for kind in FINDING_KINDS if kind in wanted]


def _gap(call: Call) -> Microseconds:
    text = call.request.get_param("gap_minutes")
    if text is None:
        return GAP
    try:
        minutes = float(text)
    except ValueError:
        minutes = 0.0
    if not 1 <= minutes <= MAX_GAP_MINUTES:
        raise Malformed(
            f"gap_minutes must be a number from 1 to {MAX_GAP_MINUTES:,} (got {text[:40]!r})", field="gap_minutes"
        )
    return round(minutes * 60 * SECOND)


_FINDING_PARAMETERS = (
    Parameter(name="bucket", type=str, description="only this bucket; default: all"),
    Parameter(name="kinds", type=str, description="kinds of findings, separated by commas; default: all"),
    Parameter(
        name="gap_minutes",
        type=Annotated[float, Meta(ge=1, le=MAX_GAP_MINUTES)],
        description="minimum length of a gap in minutes; default: 30",
    ),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/doctor", handler=get_findings, tag="maintenance", scope="full",
        audience="all buckets", summary="Find problems in the data",
        parameters=_FINDING_PARAMETERS,
        answer=Answer(type=Findings, description="the findings"), errors=(NotFound, Unavailable),
    ),
    Route(
        method="POST", path="/api/1/doctor/mend", handler=fix_findings, tag="maintenance", scope="full",
        audience="all buckets", summary="Fix one kind of finding",
        body=Body(type=FixRequest, example={"kind": "duplicates"}),
        answer=Answer(type=FixResult, description="what was fixed, and the undo entries"),
        errors=(NotFound, Conflict, Unavailable),
    ),
)  # fmt: skip
