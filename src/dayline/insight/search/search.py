"""The task `search`: full-text search over events. Only query processes import this."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from time import perf_counter
from typing import Final, cast

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from dayline.insight.calendar import Bin, Calendar, edges_of
from dayline.insight.request import CommonRequest, calendar_of, range_answer
from dayline.insight.search.hits import (
    HitCategories,
    Hits,
    Keys,
    MatchedEvents,
    Measured,
    clip_events,
    group_events,
    take_events,
)
from dayline.insight.search.model import (
    Facet,
    Facets,
    Highlight,
    Histogram,
    HitEvent,
    SearchHit,
    SearchRequest,
    SearchResponse,
)
from dayline.insight.search.query import SearchQuery, format_query, parse_search
from dayline.insight.search.things import Things, ThingSample, find_things
from dayline.model.edits.shown_text import shown_object, shown_text
from dayline.model.errors import BucketNotFound, Invalid, Malformed
from dayline.model.time import DAY, EARLIEST, LATEST, SECOND, Microseconds
from dayline.storage.columns.source import Codes, ColumnSource, Ids, ReadReport, SourceBucket
from dayline.transform.text import Clause, TextQuery, host_of, nearest, placed_words, ranges_of
from dayline.transform.words import fold


def highlights_of(data: dict[str, object], clauses: Sequence[Clause]) -> list[Highlight]:
    """The matches of the clauses in all strings."""
    highlights: list[Highlight] = []
    rest: list[tuple[list[str | int], object]] = [([], data)]
    while rest:
        path, value = rest.pop()
        if isinstance(value, dict):
            members = cast(dict[str, object], value).items()
            rest.extend(reversed([([*path, key], item) for key, item in members]))
        elif isinstance(value, list):
            rest.extend(reversed([([*path, number], item) for number, item in enumerate(cast(list[object], value))]))
        elif isinstance(value, str):
            field = path[0] if len(path) == 1 and path[0] in ("app", "title", "url") else "rest"
            ranges = _ranges([clause for clause in clauses if clause.field in (None, field)], value)
            if field == "url":
                ranges += _in_host(value, [clause for clause in clauses if clause.field == "domain"])
            if ranges:
                highlights.append(Highlight(path=path, ranges=[[low, high] for low, high in sorted(set(ranges))]))
    return highlights


def _ranges(clauses: Sequence[Clause], text: str) -> list[tuple[int, int]]:
    # Finding positions takes longer than checking that there is no match.
    folded = fold(text)
    there = [clause for clause in clauses if all(word in folded for word in clause.words)]
    return ranges_of(there, placed_words(text)) if there else []


def _in_host(url: str, clauses: Sequence[Clause]) -> list[tuple[int, int]]:
    host = host_of(url)
    first = url.find(host)
    return [(first + low, first + high) for low, high in _ranges(clauses, host)]


_MAX_FACETS: Final = 50
# The longest range for bins of each length: about a hundred bins.
_BINS: Final[Sequence[tuple[Microseconds, Bin]]] = ((4 * DAY, "hour"), (120 * DAY, "day"), (800 * DAY, "week"))


class _Cursor(Struct, frozen=True, array_like=True):
    """The last hit of a page."""

    digest: str  # of the request: another request has another order of hits
    measure: float
    id: int
    bucket: str


def search(asked: SearchRequest, source: ColumnSource) -> SearchResponse:
    """The task: a page of hits. Raises Malformed, Invalid or BucketNotFound."""
    begun = perf_counter()
    calendar = calendar_of(asked.scope)
    query = parse_search(asked.q, calendar, asked.scope.now)
    if query.is_empty:
        raise Invalid("q: the query is empty", hint="write a word, or an operator such as app:Code", field="q")
    report = ReadReport()
    classifier = HitCategories(source, asked.scope)
    wide = _find_events(asked, query, source, report)
    matches = wide if not query.categories else _in_categories(wide, query, classifier)
    hits, things = _grouped(asked, query, source, matches, wide)
    page, cursor = _page(asked, hits)
    return SearchResponse(
        range=range_answer(calendar, *_span(asked, query, hits)),
        understood=format_query(query, calendar),
        total=len(hits.groups),
        events=sum(len(part.start) for part in matches) if asked.thing is None else len(hits),
        seconds=float(hits.measured.seconds.sum()),
        hits=_page_hits(hits, page, query, calendar, classifier, things),
        cursor=cursor,
        facets=_facets(hits, things),
        histogram=_histogram(hits, things, calendar, *_span(asked, query, hits)),
        suggestion=None if len(hits) else _suggestion(query, source, calendar),
        looked_through=report.looked_through,
        took=round((perf_counter() - begun) * 1000, 3),
    )


def _grouped(
    asked: SearchRequest,
    query: SearchQuery,
    source: ColumnSource,
    found: Sequence[MatchedEvents],
    wide: Sequence[MatchedEvents],
) -> tuple[Hits, Things | None]:
    """The hits of these events. With `group=thing` also the active time that counts for them.

    `wide` are also the events in other categories: an annotation may have changed the category of active time.
    """
    if asked.group != "thing" and asked.thing is None:
        keys = Keys()
        return Hits(found, group_events(found, asked.group, keys), keys), None
    start, end = _bounds(asked, query)
    common = CommonRequest(scope=asked.scope, start=start, end=max(start, end), devices=asked.devices)
    keys = Keys()
    things = find_things(source, common, wide, keys, query)
    parts = [_of_things(part, things, keys) for part in found]
    if asked.thing is None:
        group = np.concatenate([np.zeros(0, dtype=np.int32), *(codes for _, codes in parts)])
        hits = Hits([part for part, _ in parts], group, keys, Measured(things.start, things.end, things.thing))
        return hits, things
    wanted = keys.number_of(asked.thing)
    chosen = [take_events(part, np.flatnonzero(codes == wanted)) for part, codes in parts]
    chosen = [part for part in chosen if len(part.start)]
    keys = Keys()
    return Hits(chosen, group_events(chosen, asked.group, keys), keys), None


def _of_things(part: MatchedEvents, things: Things, keys: Keys) -> tuple[MatchedEvents, Codes]:
    """The events of a bucket, once for each thing that they were part of, and its number.

    Those that were not active are a thing by their title.
    """
    event, thing = things.of_events(part)
    rest = np.setdiff1d(np.arange(len(part.start)), event)
    by_title = group_events([take_events(part, rest)], "title", keys) if len(rest) else rest
    order = np.argsort(np.append(event, rest), kind="stable")
    return take_events(part, np.append(event, rest)[order]), np.append(thing, by_title)[order].astype(np.int32)


def _bounds(asked: SearchRequest, query: SearchQuery) -> tuple[Microseconds, Microseconds]:
    """The range that both the request and the query allow."""
    start = max(query.start, asked.start if asked.start is not None else EARLIEST)
    end = min(query.end, asked.end if asked.end is not None else LATEST)
    return start, end


def _find_events(
    asked: SearchRequest, query: SearchQuery, source: ColumnSource, report: ReadReport
) -> list[MatchedEvents]:
    """The events that match, in any category."""
    start, end = _bounds(asked, query)
    matched: list[MatchedEvents] = []
    for bucket in _buckets(asked, query, source.buckets()):
        events = source.matching(bucket.id, start, end, query.texts, report)
        part = clip_events(bucket, events, start, end, query.shortest, query.longest)
        if len(part.start):
            matched.append(part)
    return matched


def _in_categories(
    matched: Sequence[MatchedEvents], query: SearchQuery, classifier: HitCategories
) -> list[MatchedEvents]:
    parts = [classifier.in_categories(part, query.categories) for part in matched]
    return [part for part in parts if len(part.start)]


def _suggestion(query: SearchQuery, source: ColumnSource, calendar: Calendar) -> str | None:
    """The query with words spelled as they occur in the data; None if that is the same query."""
    known: dict[str, list[tuple[str, int]]] = {}
    clauses = query.texts.clauses
    for word in {word for clause in query.texts.wanted for word in clause.words if len(word) > 2}:
        similar = [pair for bucket in source.buckets() for pair in source.words_like(bucket.id, word)]
        if not any(other == word for other, _ in similar):
            known[word] = similar
    better = {word: nearest(word, similar) or word for word, similar in known.items()}
    changed = tuple(
        replace(clause, words=tuple(better.get(word, word) for word in clause.words))
        if not clause.is_negated else clause
        for clause in clauses
    )  # fmt: skip
    return format_query(replace(query, texts=TextQuery(changed)), calendar) if changed != clauses else None


def _buckets(asked: SearchRequest, query: SearchQuery, buckets: Sequence[SourceBucket]) -> list[SourceBucket]:
    for name in asked.buckets:
        if not any(name == bucket.id or name in bucket.aliases for bucket in buckets):
            raise BucketNotFound(name)
    return [
        bucket
        for bucket in buckets
        if (not asked.buckets or any(name == bucket.id or name in bucket.aliases for name in asked.buckets))
        and (not asked.devices or bucket.hostname in asked.devices)
        and all(
            place.holds({"bucket": bucket.id, "device": bucket.hostname, "type": bucket.type}[place.field])
            for place in query.places
        )
    ]


def _page(asked: SearchRequest, hits: Hits) -> tuple[Ids, str | None]:
    """The groups of a page in order, and the cursor of the next page."""
    groups = hits.groups
    measure, ids = groups.measure(asked.sort), hits.id[groups.sample]
    names = np.array([part.bucket.id for part in hits.found] or [""])
    owners = np.argsort(np.argsort(names))[hits.owner[groups.sample]] if len(groups) else np.zeros(0, dtype=np.int64)
    rest = np.arange(len(groups))
    if asked.cursor is not None:
        cursor = _decode_cursor(asked)
        owner = int(np.searchsorted(np.sort(names), cursor.bucket))
        is_behind = (measure < cursor.measure) | (
            (measure == cursor.measure) & ((ids < cursor.id) | ((ids == cursor.id) & (owners > owner)))
        )
        rest = rest[is_behind]
    best = rest
    if len(rest) > asked.limit:
        best = rest[measure[rest] >= np.partition(measure[rest], -asked.limit)[-asked.limit]]  # sorting takes longer
    page = best[np.lexsort((owners[best], -ids[best], -measure[best]))][: asked.limit]
    if len(page) == len(rest):
        return page, None
    last = int(page[-1])
    bucket = hits.place(int(groups.sample[last]))[0].bucket.id
    cursor = _Cursor(_digest(asked), float(measure[last]), int(ids[last]), bucket)
    return page, urlsafe_b64encode(msgspec.json.encode(cursor)).decode().rstrip("=")


def _digest(asked: SearchRequest) -> str:
    question = (asked.q, asked.start, asked.end, asked.devices, asked.buckets, asked.group, asked.sort, asked.thing)
    return blake2b(msgspec.json.encode(question), digest_size=6).hexdigest()


def _decode_cursor(asked: SearchRequest) -> _Cursor:
    text = asked.cursor or ""
    try:
        cursor = msgspec.json.decode(urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=_Cursor)
    except (ValueError, msgspec.MsgspecError) as error:
        raise Malformed("invalid cursor", hint="use the `cursor` of the previous page", field="cursor") from error
    if cursor.digest != _digest(asked):
        raise Invalid("the cursor belongs to another search", hint="start again without a cursor", field="cursor")
    return cursor


def _span(asked: SearchRequest, query: SearchQuery, hits: Hits) -> tuple[Microseconds, Microseconds]:
    """The requested range; if it is open, the range of the hits."""
    start, end = _bounds(asked, query)
    if start == EARLIEST:
        start = int(hits.start.min()) if len(hits) else min(asked.scope.now, end)
    if end == LATEST:
        end = int(hits.end.max()) + 1 if len(hits) else max(asked.scope.now, start)
    return start, max(start, end)


def _page_hits(
    hits: Hits,
    page: Ids,
    query: SearchQuery,
    calendar: Calendar,
    classifier: HitCategories,
    things: Things | None,
) -> list[SearchHit]:
    """The hits of a page."""
    places = [hits.place(int(hits.groups.sample[group])) for group in page.tolist()]
    categories = {
        part.bucket.id: classifier.categories(part, [event for owner, event in places if owner is part])
        for part in hits.found
        if any(owner is part for owner, _ in places)
    }
    return [
        _hit(
            hits,
            group,
            part,
            event,
            query,
            calendar,
            categories[part.bucket.id][event],
            None if things is None else things.samples.get(group),
        )
        for group, (part, event) in zip(page.tolist(), places, strict=True)
    ]


def _hit(
    hits: Hits,
    group: int,
    part: MatchedEvents,
    event: int,
    query: SearchQuery,
    calendar: Calendar,
    category: list[str],
    sample: ThingSample | None,
) -> SearchHit:
    groups = hits.groups
    [text] = part.dictionary.texts(part.value[event : event + 1])
    recorded = msgspec.json.decode(text, type=dict[str, object]) if sample is None else sample.data()
    data, truncated = shown_object(recorded)
    key = hits.keys[group]
    return SearchHit(
        key=None if key is None else shown_text(key),
        data=data,
        truncated=truncated,
        highlights=highlights_of(data, query.texts.wanted),
        seconds=int(groups.duration[group]) / SECOND,
        count=int(groups.count[group]),
        first=calendar.text(int(groups.first[group])),
        last=calendar.text(int(groups.last[group])),
        category=category if sample is None else list(sample.category),
        bucket=part.bucket.id,
        device=part.bucket.hostname,
        type=part.bucket.type,
        event=HitEvent(
            id=int(part.id[event]),
            timestamp=calendar.text(int(part.begin[event])),
            duration=int(part.whole[event]) / SECOND,
        ),
    )


def _facets(hits: Hits, things: Things | None) -> Facets:
    buckets = [part.bucket for part in hits.found]
    seconds = np.bincount(hits.owner, weights=(hits.end - hits.start) / SECOND, minlength=len(buckets)).tolist()
    if things is None:
        return Facets(
            device=_facet(hits, [bucket.hostname for bucket in buckets], seconds),
            type=_facet(hits, [bucket.type for bucket in buckets], seconds),
            bucket=_facet(hits, [bucket.id for bucket in buckets], seconds),
        )
    # Active time: of a device, or while an event of the bucket was active.
    length = (things.end - things.start) / SECOND
    of_device = {name: float(length[things.device == code].sum()) for code, name in enumerate(things.devices)}
    of_bucket = {name: float(length[flags].sum()) for name, flags in things.buckets.items()}
    types = {bucket.type: [other.id for other in buckets if other.type == bucket.type] for bucket in buckets}
    of_type = {
        name: float(length[np.logical_or.reduce([things.buckets.get(each, length < 0) for each in ids])].sum())
        for name, ids in types.items()
    }
    return Facets(
        device=_with_seconds(_facet(hits, [bucket.hostname for bucket in buckets], seconds), of_device),
        type=_with_seconds(_facet(hits, [bucket.type for bucket in buckets], seconds), of_type),
        bucket=_with_seconds(_facet(hits, [bucket.id for bucket in buckets], seconds), of_bucket),
    )


def _with_seconds(facets: Sequence[Facet], seconds: Mapping[str, float]) -> list[Facet]:
    measured = [replace(facet, seconds=seconds.get(facet.key, 0.0)) for facet in facets]
    return sorted(measured, key=lambda facet: (-facet.seconds, -facet.count, facet.key))


def _facet(hits: Hits, names: Sequence[str], seconds: Sequence[float]) -> list[Facet]:
    totals: dict[str, tuple[float, int]] = {}
    for name, spent, count in zip(names, seconds, hits.sizes, strict=True):
        before = totals.get(name, (0.0, 0))
        totals[name] = (before[0] + spent, before[1] + count)
    facets = [Facet(key=name, seconds=spent, count=count) for name, (spent, count) in totals.items()]
    return sorted(facets, key=lambda facet: (-facet.seconds, -facet.count, facet.key))[:_MAX_FACETS]


def _histogram(
    hits: Hits, things: Things | None, calendar: Calendar, start: Microseconds, end: Microseconds
) -> Histogram:
    fitting: list[Bin] = [name for length, name in _BINS if end - start <= length]
    bin_: Bin = fitting[0] if fitting else "month"
    edges = np.array(edges_of(calendar, bin_, start, end), dtype=np.int64)
    size = len(edges) - 1
    time, count = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    # Both are sorted by start, so a bin has a slice of them. What starts before the first bin counts for it.
    for found in hits.found:
        count += np.diff(np.searchsorted(found.start, edges[1:-1], side="left"), prepend=0, append=len(found.start))
    parts: list[MatchedEvents | Things] = list(hits.found) if things is None else [things]
    for part in parts:
        steps = np.searchsorted(part.start, edges[1:-1], side="left")
        of_bin = np.diff(steps, prepend=0, append=len(part.start))
        # One bin of every event at a time: few events extend into a second bin.
        bins, low, high = np.repeat(np.arange(size), of_bin), part.start, part.end
        while len(low):
            # As floats, which hold whole microseconds exactly for 285 years.
            time += np.bincount(bins, weights=high - low, minlength=size).astype(np.int64)
            behind = edges[bins + 1]
            continues = np.flatnonzero((high > behind) & (bins < size - 1))
            bins, low, high = bins[continues], behind[continues], high[continues]
            time -= np.bincount(bins, weights=high - low, minlength=size).astype(np.int64)
            bins = bins + 1
    return Histogram(
        bin=bin_,
        edges=[calendar.text(edge) for edge in edges.tolist()],
        seconds=(time / SECOND).tolist(),
        count=count.tolist(),
    )
