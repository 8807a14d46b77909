"""`/api/1/doctor`: what looks wrong in the data, and mending it."""

from typing import Final

import msgspec

from dayline.api.call import Call
from dayline.care.findings.inspector import GAP
from dayline.model.errors import Malformed
from dayline.model.findings import FINDING_KINDS, FindingKind, MendRequest
from dayline.model.timestamps import SECOND, Microseconds
from dayline.model.wire import decode_body

LONGEST_GAP_MINUTES: Final = 1_000_000  # two years: a longer one is no gap

_request = msgspec.json.Decoder(MendRequest)


async def get_findings(call: Call) -> None:
    """For each kind and bucket: how many events and how much time are concerned, examples, and what mending would do.

    The kinds are `duplicates` (same start, duration and data), `overlaps` of a second or more, `negative` durations,
    `future` events (more than a day ahead), `zero_length` events that the next one makes redundant, and `gaps`: times
    without an event in a bucket while others of its host have some. Buckets of browsers, editors and stopwatches have
    events only while those are in use: their gaps are reported if `bucket` names one of them. If a bucket or a kind is
    missing from the answer, nothing was found there.
    """
    bucket, gap = call.request.get_param("bucket"), _gap(call)
    call.answer_value(await call.services.inspector.find(call.store, _kinds(call), bucket=bucket, gap=gap))


async def mend_findings(call: Call) -> None:
    """One kind at a time, in one bucket or in all, in short steps while recording goes on.

    With `dry_run` nothing is changed, and the answer says what would be. Otherwise each bucket has an `undo` in the
    answer: what was mended there can be undone for as long as the trash keeps it. Overlaps are mended only in buckets
    of which one thing is true at a time (windows, tabs, being away). Gaps cannot be mended.
    """
    request = decode_body(await call.json_body(), _request)
    inspector = call.services.inspector
    if request.dry_run:
        call.answer_value(await inspector.preview(call.store, request))
        return
    call.note_destruction()
    call.answer_value(await inspector.mend(call.store, request))


def _kinds(call: Call) -> list[FindingKind]:
    text = call.request.get_param("kinds")
    if not text:
        return list(FINDING_KINDS)
    wanted = [kind.strip() for kind in text.split(",")]
    for kind in wanted:
        if kind not in FINDING_KINDS:
            raise Malformed(
                f"there is no kind of finding {kind[:40]!r}", hint=f"kinds: {', '.join(FINDING_KINDS)}", field="kinds"
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
    if not 1 <= minutes <= LONGEST_GAP_MINUTES:
        raise Malformed(
            f"gap_minutes must be a number from 1 to {LONGEST_GAP_MINUTES:,}, not {text[:40]!r}", field="gap_minutes"
        )
    return round(minutes * 60 * SECOND)
