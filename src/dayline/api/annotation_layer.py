"""The annotations of a store, read in order, and those that count for an answer."""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from dayline.api.call import Call
from dayline.insight.calendar import Span
from dayline.insight.common_request import CommonRequest
from dayline.model.annotation_events import annotation_of
from dayline.model.annotations import ANNOTATIONS_BUCKET, Annotation
from dayline.model.data import canonical_json
from dayline.model.errors import BucketNotFound
from dayline.model.event import Event, EventView, duration_of
from dayline.model.timestamps import Microseconds, parse_timestamp
from dayline.storage.store import Store

_page = msgspec.json.Decoder(list[EventView])


def annotated(call: Call, common: CommonRequest, compared: Sequence[Span] = ()) -> CommonRequest:
    """The request with the annotations of its range and of the ranges it is compared with. Read on a thread."""
    spans = [(common.start, common.end), *compared]
    return annotations_for(call, common, min(start for start, _ in spans), max(end for _, end in spans))


def annotations_for(call: Call, common: CommonRequest, start: Microseconds, end: Microseconds | None) -> CommonRequest:
    """The request with those annotations that are on and touch a range, unless it asks for none. Read on a thread."""
    if call.request.get_param("annotations") == "off":
        return common
    # What they are called counts, what else is noted there does not: a year may have thousands.
    found = [replace(each, note="") for each in annotations_between(call.store, start, end) if each.is_on]
    return replace(common, scope=replace(common.scope, annotations=tuple(reversed(found)))) if found else common


def annotations_between(store: Store, start: Microseconds | None, end: Microseconds | None) -> Iterator[Annotation]:
    """Those that touch the time from start up to before end, the one that begins last first. Read on a thread."""
    try:
        store.bucket(ANNOTATIONS_BUCKET)  # from memory: most people have none
    except BucketNotFound:
        return
    for page in store.whole_events(ANNOTATIONS_BUCKET, start=start, end=end):
        for view in _page.decode(b"[%b]" % page):
            annotation = annotation_of(_event(view))
            # The store counts both ends to a range; what only touches it there is not in it.
            if annotation is not None and annotation.start != end and annotation.end != start:
                yield annotation


def _event(view: EventView) -> Event:
    # As it is told, not as it may be sent: the ids that the store gives go beyond those that a client may choose.
    return Event(
        id=view.id or 0,
        start=parse_timestamp(view.timestamp),
        duration=duration_of(view.duration),
        data=canonical_json(view.data),
    )
