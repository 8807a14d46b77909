"""The annotations of a store, read in order."""

from collections.abc import Iterator

import msgspec

from dayline.model.annotation_events import annotation_of
from dayline.model.annotations import ANNOTATIONS_BUCKET, Annotation
from dayline.model.errors import BucketNotFound
from dayline.model.event import EventBody, event_of
from dayline.model.timestamps import Microseconds
from dayline.storage.base import Store

_page = msgspec.json.Decoder(list[EventBody])


def annotations_between(store: Store, start: Microseconds | None, end: Microseconds | None) -> Iterator[Annotation]:
    """Those that touch the time from start up to before end, the one that begins last first. Read on a thread."""
    try:
        store.bucket(ANNOTATIONS_BUCKET)  # from memory: most people have none
    except BucketNotFound:
        return
    for page in store.whole_events(ANNOTATIONS_BUCKET, start=start, end=end):
        for body in _page.decode(b"[%b]" % page):
            annotation = annotation_of(msgspec.structs.replace(event_of(body), id=body.id or 0))
            # The store counts both ends to a range; what only touches it there is not in it.
            if annotation is not None and annotation.start != end and annotation.end != start:
                yield annotation
