"""Shared by all insight endpoints: the settings they need, the task in a query process, and the ETag."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from dayline.api.http.call import Call, content_tag, has_current
from dayline.api.http.parameters import common_parameters, comparison_parameters
from dayline.api.insight.category_store import current_categories
from dayline.insight.calendar import Span
from dayline.insight.categories.checking import new_patterns
from dayline.insight.categories.tasks import CheckPatternsTask, SlowPattern
from dayline.insight.projects.model import projects_of
from dayline.insight.request import CommonRequest, Scope
from dayline.insight.summary.model import Comparison
from dayline.model.category import Category
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET, Annotation, annotation_of
from dayline.model.errors import BucketNotFound, PatternInvalid
from dayline.model.event import Event, EventView, duration_of
from dayline.model.settings.preferences import preferences_of
from dayline.model.settings.reports import PROJECTS_KEY
from dayline.model.time import DAY, Microseconds, parse_timestamp
from dayline.query.errors import QueriesBusy, QueryMemoryError, QueryProcessLost, QueryTimeoutError
from dayline.query.patterns.python import shortened
from dayline.query.processes.messages import Task
from dayline.runtime.threads import in_thread
from dayline.storage.store import Store

_page = msgspec.json.Decoder(list[EventView])


def with_annotations(call: Call, common: CommonRequest, compared: Sequence[Span] = ()) -> CommonRequest:
    """The request with the annotations of its range and of the ranges it is compared with. Call in a thread."""
    spans = [(common.start, common.end), *compared]
    return annotations_for(call, common, min(start for start, _ in spans), max(end for _, end in spans))


def annotations_for(call: Call, common: CommonRequest, start: Microseconds, end: Microseconds | None) -> CommonRequest:
    """The request with the active annotations that overlap a range, unless `annotations=off`. Call in a thread."""
    if call.request.get_param("annotations") == "off":
        return common
    # Labels matter, notes do not: a year may have thousands.
    active = [replace(each, note="") for each in annotations_between(call.store, start, end) if each.is_on]
    return replace(common, scope=replace(common.scope, annotations=tuple(reversed(active)))) if active else common


def annotations_between(store: Store, start: Microseconds | None, end: Microseconds | None) -> Iterator[Annotation]:
    """The annotations that overlap the time from start to end (exclusive), the latest first. Call in a thread."""
    try:
        store.bucket(ANNOTATIONS_BUCKET)  # from memory: most users have no annotations
    except BucketNotFound:
        return
    for page in store.whole_events(ANNOTATIONS_BUCKET, start=start, end=end):
        for view in _page.decode(b"[%b]" % page):
            annotation = annotation_of(_event(view))
            # The store includes both ends of a range; skip annotations that only touch it.
            if annotation is not None and annotation.start != end and annotation.end != start:
                yield annotation


def _event(view: EventView) -> Event:
    # Not decoded as a request: ids given by the store can exceed those that a client may choose.
    return Event(
        id=view.id or 0,
        start=parse_timestamp(view.timestamp),
        duration=duration_of(view.duration),
        data=canonical_json(view.data),
    )


# Requests and tasks.
ALWAYS_ACTIVE: Final = "always_active_pattern"  # setting of the ActivityWatch web UI
_CHECKED: Final = 366 * DAY  # the range of titles that new patterns are tried on


async def scope_of(call: Call) -> Scope:
    """The settings that apply to a call; its parameters override them."""
    return await in_thread(_read_scope, call)


async def common_request(call: Call) -> CommonRequest:
    """The parameters of the call, with the settings as its `scope`. Raises Malformed or Invalid."""
    common = common_parameters(call, await scope_of(call))
    return await in_thread(with_annotations, call, common)


async def compared_request(call: Call) -> tuple[CommonRequest, Comparison | None]:
    """The same, and the ranges to compare with. Raises Malformed or Invalid."""
    common = common_parameters(call, await scope_of(call))
    comparison = comparison_parameters(call, common)
    return await in_thread(with_annotations, call, common, () if comparison is None else comparison.spans), comparison


async def run_task(call: Call, name: str, request: object) -> bytes:
    """Run a task in a query process and return its JSON. Cancels it if the client disconnects."""
    task = Task(name=name, request=msgspec.json.encode(request), buckets=call.caller.buckets.names)
    queries = call.tenant.queries
    answered = await call.while_there(queries.run(task, client=call.client, seconds=queries.settings.seconds))
    call.warn_of_skipped_rules(answered.outcome.skipped_rules)
    if isinstance(answered.body, bytes):
        return answered.body
    try:
        pieces: list[bytes] = []
        while piece := await answered.body.read():
            pieces.append(piece)
        return b"".join(pieces)
    finally:
        answered.body.close()


async def refuse_slow_patterns(
    call: Call, after: Sequence[Category], before: Sequence[Category], *, listed_in: str = "categories"
) -> None:
    """Raise PatternInvalid if a new pattern is too slow on the titles of the last 12 months.

    If no query process is free in time, the patterns are accepted; queries skip slow patterns anyway.
    """
    patterns = new_patterns(after, before, listed_in=listed_in)
    if not patterns:
        return
    now = call.server.clock()
    task = CheckPatternsTask(patterns=tuple(patterns.values()), start=now - _CHECKED, end=now)
    try:
        slow = msgspec.json.decode(await run_task(call, "check_patterns", task), type=list[SlowPattern])
    except (QueryTimeoutError, QueryMemoryError, QueriesBusy, QueryProcessLost):
        return
    for each in slow:
        field = list(patterns)[each.number]
        pattern = shortened(patterns[field].text)
        example = f", for example {shortened(each.text)}" if each.text else ""
        raise PatternInvalid(
            f"{field}: the regular expression {pattern} takes too long on recorded titles{example}",
            hint="avoid nested repetitions such as (a+)+",
            field=field,
        )


def answer_tagged(call: Call, body: bytes, *, tag: str | None = None) -> None:
    """Respond with JSON and a strong ETag, or with 304 if `If-None-Match` has that ETag.

    `tag` is without quotes; by default it is computed from the body.
    """
    tag = tag or content_tag(body)
    call.response.set_header("ETag", f'"{tag}"')
    call.response.set_header("Cache-Control", "private, no-cache")
    if has_current(call, tag):
        call.response.status = 304
        return
    call.answer_json(body)


def _read_scope(call: Call) -> Scope:
    preferences = preferences_of(call.access.own_settings())
    return Scope(
        now=call.server.clock(),
        zone=preferences.time_zone or "UTC",
        day_start=preferences.day_start,
        week_start=preferences.week_start,
        categories=current_categories(call),
        # Names of projects and their rates are of the owner, like goals and saved reports.
        projects=projects_of(call.access.own_setting(PROJECTS_KEY)).projects if call.caller.buckets.is_all else (),
        # Not through the caller's store: a key that is limited to some buckets cannot read settings.
        always_active=_text(call.tenant.store.setting(ALWAYS_ACTIVE)),
    )


def _text(setting: CanonicalJson | None) -> str:
    value = None if setting is None else msgspec.json.decode(setting)
    return value if isinstance(value, str) else ""
