"""Annotations: what a person says about a span of time. A layer over what was recorded, which stays as it is."""

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import Meta, Struct

from dayline.model.categories import Path
from dayline.model.timestamps import Microseconds

# label: a name for it, and nothing else. category: it belongs to that one, whatever the rules say. exclude: it does not
# count. entry: time that no watcher saw (a meeting, a drive), which goes before what was recorded meanwhile.
AnnotationKind: TypeAlias = Literal["label", "category", "exclude", "entry"]

ANNOTATIONS_BUCKET: Final = "dayline-annotations"
ANNOTATIONS_TYPE: Final = "dayline.annotation"


class Annotation(Struct, frozen=True, kw_only=True):
    """One annotation. `device` is a host name; None: whatever device."""

    id: int
    kind: AnnotationKind
    start: Microseconds
    end: Microseconds
    device: str | None = None
    label: Annotated[str, Meta(max_length=1000)] = ""
    category: Path | None = None
    note: Annotated[str, Meta(max_length=10_000)] = ""
    is_on: bool = True
