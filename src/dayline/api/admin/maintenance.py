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
from dayline.model.health import FINDING_KINDS, FindingKind, Findings, HealthView, Mended, MendRequest
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
    """Every backup was verified when it was made: unpacked, checked, and compared with the database of that moment.

    `last_failure` tells why the last try came to nothing; it is `null` after one that succeeded.
    """
    call.answer_value(await view_of_backups(call.server.backups))


async def verify_backup(call: Call) -> None:
    """It is unpacked, checked, and compared with what its database held. What is found out is remembered.

    One that is damaged is a good answer too, with the state `failed`. An encrypted one needs the key of the settings.
    """
    call.answer_value(view_of_backup(await call.server.backups.verify(call.params["backup"])))


async def make_backup(call: Call) -> None:
    """Recording goes on meanwhile. The answer comes when the backup is made and verified.

    It goes on, too, when the client does not wait for the answer. Old backups are let go of afterwards.
    """
    backup = await call.server.backups.make()
    call.response.status = falcon.HTTP_201
    call.answer_value(view_of_backup(backup))


# `/api/1/health`: whether everything is well.


async def get_health(call: Call) -> None:
    """Always 200 while the server answers: `degraded` means that something needs attention, not that it is down.

    Devices and watchers that have stopped, although they are expected to record, are problems of the kind `watcher`.
    Sign-ins from a new address are problems of the kind `sign-in` until they are confirmed or the session is revoked;
    only callers with the scope `full` see them.
    """
    view = await aside(partial(call.server.health.view, call.tenant.name))
    found = [*await call.tenant.watcher_health.problems()]
    if call.caller.may("full"):
        found += sign_in_problems(call.server.gate, tenant=call.tenant.name)
    call.answer_value(replace(view, status="degraded", problems=[*view.problems, *found]) if found else view)


# `/api/1/doctor`: what looks wrong in the data, and mending it.


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
    call.answer_value(await call.tenant.inspector.find(call.store, _kinds(call), bucket=bucket, gap=gap))


async def mend_findings(call: Call) -> None:
    """One kind at a time, in one bucket or in all, in short steps while recording goes on.

    With `dry_run` nothing is changed, and the answer says what would be. Otherwise each bucket has an `undo` in the
    answer: what was mended there can be undone for as long as the trash keeps it. Overlaps are mended only in buckets
    of which one thing is true at a time (windows, tabs, being away). Gaps cannot be mended.
    """
    request = decode_body(await call.json_body(), _request)
    inspector = call.tenant.inspector
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


# `/api/1/space`: what takes room on the disk.


async def get_space(call: Call) -> None:
    """Per bucket and per year, and what belongs to neither. The parts of `database` add up to its `file`.

    Measured while recording goes on; an answer may be some seconds old. On PostgreSQL it is an estimate of what the
    caller's own data take.
    """
    call.answer_value(await call.tenant.upkeep.gauge.space())


# `/api/1/compact`: giving free room back to the system.


async def get_compaction(call: Call) -> None:
    """`idle` where none is under way; `last` tells what the last one did."""
    call.answer_value(call.tenant.upkeep.compaction())


async def compact_database(call: Call) -> None:
    """Removes distinct values that nobody has any more, cuts free pages off the file and empties its log.

    Recording goes on meanwhile, and compaction does where the client does not wait for the answer.
    """
    call.answer_value(await call.tenant.upkeep.compact())


# `/api/1/retention`: which buckets are thinned when they are old.


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
    call.answer_value(await call.tenant.upkeep.view())


async def set_retention(call: Call) -> None:
    """Takes the place of all rules; an empty list turns retention off. Nothing is thinned by this call.

    They are applied once a day, and by `POST /api/1/retention/apply`: events older than `days`, of equal data, that
    began within one hour (UTC) become one event. It begins with the first of them, has the lowest id, and lasts as long
    as all of them together.
    """
    rules = decode_rules(await call.json_body())
    await call.tenant.upkeep.set_rules(rules, call.access)
    call.answer_value(await call.tenant.upkeep.view())


async def preview_retention(call: Call) -> None:
    """For each bucket that a rule fits: events now and after. Nothing is changed."""
    trial = decode_body(await call.json_body(), _trial)
    call.answer_value(await call.tenant.upkeep.preview(trial.rules))


async def apply_retention(call: Call) -> None:
    """Thins now, rather than once a day. Each bucket can be undone by its `undo` while the trash keeps it.

    Recording goes on meanwhile, and thinning does where the client does not wait for the answer.
    """
    call.answer_value(await call.tenant.upkeep.apply())


# Routes.


_FINDING_PARAMETERS = (
    Parameter(name="bucket", type=str, description="the bucket to look at; without it, all"),
    Parameter(name="kinds", type=str, description="what to look for, with commas between; without it, everything"),
    Parameter(
        name="gap_minutes",
        type=Annotated[float, Meta(ge=1, le=LONGEST_GAP_MINUTES)],
        description="a gap has to be longer than this; 30 without it",
    ),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/health", handler=get_health, tag="care", scope="read",
        is_server_wide=True, summary="Tell whether everything is well",
        answer=Answer(type=HealthView, description="what is wrong, if anything"),
    ),
    Route(
        method="GET", path="/api/1/devices", handler=buckets.list_devices, tag="care", scope="read",
        summary="List the devices that recorded",
        answer=Answer(type=list[DeviceView], description="the one that recorded last first"),
    ),
    Route(
        method="GET", path="/api/1/backups", handler=list_backups, tag="care", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="List the backups",
        answer=Answer(type=BackupList, description="the backups, the newest first"), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups", handler=make_backup, tag="care", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Make a backup now and verify it",
        answer=Answer(type=BackupView, description="the backup", status=201), errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/backups/{backup}/verify", handler=verify_backup, tag="care", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Verify a backup again",
        answer=Answer(type=BackupView, description="the backup"), errors=(Unavailable, Invalid, NotFound),
    ),
    Route(
        method="GET", path="/api/1/doctor", handler=get_findings, tag="care", scope="full",
        is_server_wide=True, summary="Look for what is wrong with the data",
        parameters=_FINDING_PARAMETERS,
        answer=Answer(type=Findings, description="what was found"), errors=(NotFound, Unavailable),
    ),
    Route(
        method="POST", path="/api/1/doctor/mend", handler=mend_findings, tag="care", scope="full",
        is_server_wide=True, summary="Mend one kind of what is wrong with the data",
        body=Body(type=MendRequest, example={"kind": "duplicates"}),
        answer=Answer(type=Mended, description="what was done, and what undoes it"),
        errors=(NotFound, Conflict, Unavailable),
    ),
)  # fmt: skip


# Routes.


_RULE = {"bucket": BUCKET_ID, "days": 365}

SPACE_CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/space", handler=get_space, tag="care", scope="read",
        is_server_wide=True, summary="Tell what takes room on the disk",
        answer=Answer(type=Space, description="bytes per bucket, per year and for everything else"),
        errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/1/retention", handler=get_retention, tag="care", scope="full",
        is_server_wide=True, summary="List the retention rules",
        answer=Answer(type=RetentionView, description="every rule, in order"),
    ),
    Route(
        method="PUT", path="/api/1/retention", handler=set_retention, tag="care", scope="full",
        is_server_wide=True, is_destructive=True, summary="Replace the retention rules",
        body=Body(type=list[RetentionRule], example=[_RULE]),
        answer=Answer(type=RetentionView, description="every rule as it is now"),
    ),
    Route(
        method="POST", path="/api/1/retention/preview", handler=preview_retention, tag="care", scope="full",
        is_server_wide=True, summary="Preview what retention would do",
        body=Body(type=RetentionTrial, example={"rules": [_RULE]}),
        answer=Answer(type=list[DownsamplingPreview], description="each bucket that a rule matches"),
        errors=(Unavailable,),
    ),
    Route(
        method="POST", path="/api/1/retention/apply", handler=apply_retention, tag="care", scope="full",
        is_server_wide=True, is_destructive=True, summary="Apply the retention rules now",
        answer=Answer(type=list[DownsampledBucket], description="each bucket that a rule matches"),
        errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/1/compact", handler=get_compaction, tag="care", scope="read",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Tell how far compaction is",
        answer=Answer(type=Compaction, description="what is being done"),
    ),
    Route(
        method="POST", path="/api/1/compact", handler=compact_database, tag="care", scope="full",
        is_server_wide=True, is_of_server=True, is_of_file=True, summary="Give free room back to the system",
        answer=Answer(type=Compacted, description="what was done"), errors=(Unavailable,),
    ),
)  # fmt: skip
