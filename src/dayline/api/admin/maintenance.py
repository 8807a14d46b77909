"""`/api/1/health`, backups, findings, disk space, compaction and retention."""

from functools import partial
from typing import Annotated, Final

import falcon
import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from dayline.api.admin.sessions import sign_in_problems
from dayline.api.data import buckets
from dayline.api.data.buckets import DeviceView
from dayline.api.http.call import Call
from dayline.api.http.route import BUCKET_ID, Answer, Body, Parameter, Route
from dayline.maintenance.backups.views import BackupList, BackupView, view_of_backup, view_of_backups
from dayline.maintenance.findings.inspector import GAP
from dayline.model.data import decode_body
from dayline.model.errors import Conflict, Invalid, Malformed, NotFound, Unavailable
from dayline.model.health import FINDING_KINDS, FindingKind, Findings, FixRequest, FixResult, HealthView
from dayline.model.time import SECOND, Microseconds
from dayline.model.upkeep import (
    Compacted,
    Compaction,
    DownsampledBucket,
    DownsamplingPreview,
    RetentionRule,
    RetentionView,
    Space,
)
from dayline.runtime.threads import aside


async def list_backups(call: Call) -> None:
    """Every backup was verified when it was created: unpacked, checked, and compared with the database at that time.

    `last_failure` is the error of the last attempt, or `null` if it succeeded.
    """
    call.answer_value(await view_of_backups(call.server.backups))


async def verify_backup(call: Call) -> None:
    """Unpacks the backup, checks it, and compares it with the recorded contents of its database. Stores the result.

    A damaged backup is a 200 with the state `failed`. An encrypted backup needs the key in the settings.
    """
    call.answer_value(view_of_backup(await call.server.backups.verify(call.params["backup"])))


async def make_backup(call: Call) -> None:
    """Recording continues while the backup runs. The answer is sent when the backup is complete and verified.

    The backup continues if the client disconnects. Expired backups are deleted afterwards.
    """
    backup = await call.server.backups.make()
    call.response.status = falcon.HTTP_201
    call.answer_value(view_of_backup(backup))


# `/api/1/health`


async def get_health(call: Call) -> None:
    """Always 200 while the server answers: `degraded` means that something needs attention, not that it is down.

    A device or watcher that should record and has stopped is a problem of kind `watcher`. A sign-in from a new address
    is a problem of kind `sign-in` until it is confirmed or the session is revoked; only callers with scope `full` see
    it.
    """
    view = await aside(partial(call.server.health.view, call.tenant.name))
    problems = [*await call.tenant.watcher_health.problems()]
    if call.caller.may("full"):
        problems += sign_in_problems(call.server.gate, tenant=call.tenant.name)
    call.answer_value(replace(view, status="degraded", problems=[*view.problems, *problems]) if problems else view)


# `/api/1/doctor`: problems in the data, and fixing them.
MAX_GAP_MINUTES: Final = 1_000_000  # about two years

_request = msgspec.json.Decoder(FixRequest)


async def get_findings(call: Call) -> None:
    """For each kind and bucket: how many events and how much time are affected, examples, and what a fix would do.

    The kinds are `duplicates` (same start, duration and data), `overlaps` of a second or more, `negative` durations,
    `future` events (more than a day ahead), `zero_length` events that the next event makes redundant, and `gaps`: times
    without an event in a bucket while other buckets of its host have some. Buckets of browsers, editors and stopwatches
    have events only while those are in use; their gaps are reported only if `bucket` names one. A bucket or kind that
    is not in the answer has no findings.
    """
    bucket, gap = call.request.get_param("bucket"), _gap(call)
    call.answer_value(await call.tenant.inspector.find(call.store, _kinds(call), bucket=bucket, gap=gap))


async def fix_findings(call: Call) -> None:
    """Fixes one kind, in one bucket or in all, in short steps while recording continues.

    With `dry_run` nothing is changed, and the answer shows what would be. Otherwise the answer has an `undo` for each
    bucket, which is valid until the trash expires. Overlaps are fixed only in buckets with one state at a time
    (windows, tabs, away status). Gaps cannot be fixed.
    """
    request = decode_body(await call.json_body(), _request)
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


# `/api/1/space`: disk usage.


async def get_space(call: Call) -> None:
    """Bytes per bucket, per year, and for everything else. The parts of `database` add up to its `file`.

    Measured while recording continues; an answer may be some seconds old. On PostgreSQL it is an estimate for the
    caller's tenant.
    """
    call.answer_value(await call.tenant.upkeep.gauge.space())


# `/api/1/compact`


async def get_compaction(call: Call) -> None:
    """`idle` if none is running; `last` is the result of the last one."""
    call.answer_value(call.tenant.upkeep.compaction())


async def compact_database(call: Call) -> None:
    """Deletes values that no event references, returns free pages to the file system and truncates the log.

    Recording continues while it runs. Compaction continues if the client disconnects.
    """
    call.answer_value(await call.tenant.upkeep.compact())


# `/api/1/retention`: which buckets are downsampled, and after how long.


class RetentionTrial(Struct, frozen=True, kw_only=True):
    """Rules to preview; default: the rules in force."""

    rules: list[RetentionRule] | None = None


_rules = msgspec.json.Decoder(list[RetentionRule])
_trial = msgspec.json.Decoder(RetentionTrial)


def decode_rules(text: bytes) -> list[RetentionRule]:
    """Decode rules that were sent or stored. Raises Malformed or Invalid."""
    return decode_body(text, _rules)


async def get_retention(call: Call) -> None:
    """There are no rules by default: no events are downsampled."""
    call.answer_value(await call.tenant.upkeep.view())


async def set_retention(call: Call) -> None:
    """Replaces all rules; an empty list turns retention off. This call does not change any event.

    The server applies the rules once a day, and when you call `POST /api/1/retention/apply`: events older than `days`
    are rearranged within a quarter of an hour, so that equal ones become one. The active time of every quarter, and its
    time per app, title, category, domain and device, stay the same.
    """
    rules = decode_rules(await call.json_body())
    await call.tenant.upkeep.set_rules(rules, call.access)
    call.answer_value(await call.tenant.upkeep.view())


async def preview_retention(call: Call) -> None:
    """The number of events now and afterwards, for each bucket that a rule matches. Nothing is changed."""
    trial = decode_body(await call.json_body(), _trial)
    call.answer_value(await call.tenant.upkeep.preview(trial.rules))


async def apply_retention(call: Call) -> None:
    """Downsamples now instead of at the next daily run. The `undo` of each bucket is valid until the trash expires.

    Recording continues while it runs. Downsampling continues if the client disconnects.
    """
    call.answer_value(await call.tenant.upkeep.apply())


# Routes.


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
        method="GET", path="/api/1/health", handler=get_health, tag="maintenance", scope="read",
        is_server_wide=True, summary="Check the server's health",
        answer=Answer(type=HealthView, description="the status and its problems"),
    ),
    Route(
        method="GET", path="/api/1/devices", handler=buckets.list_devices, tag="maintenance", scope="read",
        summary="List the devices that have recorded",
        answer=Answer(type=list[DeviceView], description="the devices, the most recently active first"),
    ),
    Route(
        method="GET", path="/api/1/backups", handler=list_backups, tag="maintenance", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="List the backups",
        answer=Answer(type=BackupList, description="the backups, the newest first"), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups", handler=make_backup, tag="maintenance", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Create and verify a backup",
        answer=Answer(type=BackupView, description="the backup", status=201), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups/{backup}/verify", handler=verify_backup, tag="maintenance", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Verify a backup again",
        answer=Answer(type=BackupView, description="the backup"), errors=(Unavailable, Invalid, NotFound),
    ),
    Route(
        method="GET", path="/api/1/doctor", handler=get_findings, tag="maintenance", scope="full",
        is_server_wide=True, summary="Find problems in the data",
        parameters=_FINDING_PARAMETERS,
        answer=Answer(type=Findings, description="the findings"), errors=(NotFound, Unavailable),
    ),
    Route(
        method="POST", path="/api/1/doctor/mend", handler=fix_findings, tag="maintenance", scope="full",
        is_server_wide=True, summary="Fix one kind of finding",
        body=Body(type=FixRequest, example={"kind": "duplicates"}),
        answer=Answer(type=FixResult, description="what was fixed, and the undo entries"),
        errors=(NotFound, Conflict, Unavailable),
    ),
)  # fmt: skip


# Routes.


_RULE = {"bucket": BUCKET_ID, "days": 365}

SPACE_CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/space", handler=get_space, tag="maintenance", scope="read",
        is_server_wide=True, summary="Show the disk usage",
        answer=Answer(type=Space, description="bytes per bucket, per year and for everything else"),
        errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/1/retention", handler=get_retention, tag="maintenance", scope="full",
        is_server_wide=True, summary="List the retention rules",
        answer=Answer(type=RetentionView, description="all rules, in order"),
    ),
    Route(
        method="PUT", path="/api/1/retention", handler=set_retention, tag="maintenance", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace the retention rules",
        body=Body(type=list[RetentionRule], example=[_RULE]),
        answer=Answer(type=RetentionView, description="all rules after the change"),
    ),
    Route(
        method="POST", path="/api/1/retention/preview", handler=preview_retention, tag="maintenance", scope="full",
        is_server_wide=True, summary="Preview the effect of retention rules",
        body=Body(type=RetentionTrial, example={"rules": [_RULE]}),
        answer=Answer(type=list[DownsamplingPreview], description="each bucket that a rule matches"),
        errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/retention/apply", handler=apply_retention, tag="maintenance", scope="full",
        is_server_wide=True, is_destructive=True, summary="Apply the retention rules now",
        answer=Answer(type=list[DownsampledBucket], description="each bucket that a rule matches"),
        errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/1/compact", handler=get_compaction, tag="maintenance", scope="read",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Show the progress of compaction",
        answer=Answer(type=Compaction, description="the current step, and the last result"),
    ),
    Route(
        method="POST", path="/api/1/compact", handler=compact_database, tag="maintenance", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Reclaim unused disk space",
        answer=Answer(type=Compacted, description="the result"), errors=(Unavailable,),
    ),
)  # fmt: skip
