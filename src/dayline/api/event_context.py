"""What there is about an event besides itself: its category, and the annotations that lie over it."""

from collections.abc import Collection
from contextlib import suppress
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.api.annotation_layer import annotations_between
from dayline.api.call import Call, in_thread
from dayline.api.insight import run_task, scope_of
from dayline.insight.bucket_kinds import Layer, layer_of
from dayline.insight.category_tasks import ExplainTask
from dayline.insight.common_request import CommonRequest
from dayline.model.annotation_bodies import AnnotationView, view_of_annotation
from dayline.model.categories import UNCATEGORIZED, Path
from dayline.model.errors import DaylineError, Malformed
from dayline.model.event import Event
from dayline.model.event_edits import EventDetail

Aspect: TypeAlias = Literal["category", "notes"]
ASPECTS: Final[tuple[Aspect, ...]] = ("category", "notes")


class EventInContext(EventDetail, frozen=True, kw_only=True):
    """An event, and with `include` what there is about it besides."""

    category: Annotated[
        Path | UnsetType | None, Meta(description="by the rules alone; null where events of its kind have none")
    ] = UNSET
    notes: Annotated[list[AnnotationView] | UnsetType, Meta(description="the annotations that lie over it")] = UNSET


class _Explained(Struct):
    category: Path


_explained = msgspec.json.Decoder(_Explained)


def aspects_of(call: Call) -> list[Aspect]:
    """What `include` asks for. Raises Malformed."""
    wanted = [word.strip() for word in (call.request.get_param("include") or "").split(",") if word.strip()]
    for word in wanted:
        if word not in ASPECTS:
            raise Malformed(f"include: {word[:40]!r} is not one of {', '.join(ASPECTS)}", field="include")
    return [aspect for aspect in ASPECTS if aspect in wanted]


async def in_context(call: Call, detail: EventDetail, event: Event, aspects: Collection[Aspect]) -> EventInContext:
    """The event with what is asked for."""
    fields: dict[str, Any] = msgspec.structs.asdict(detail)
    if "category" in aspects:
        fields["category"] = await _category(call, detail, event)
    if "notes" in aspects:
        fields["notes"] = await in_thread(_notes, call, detail.device, event)
    return EventInContext(**fields)


async def _category(call: Call, detail: EventDetail, event: Event) -> Path | None:
    layer = layer_of(detail.type)
    if layer is None:
        return None
    scope = await scope_of(call)
    if not scope.categories:
        return UNCATEGORIZED
    layers: dict[Layer, dict[str, Any]] = {layer: msgspec.json.decode(event.data)}
    task = ExplainTask(common=CommonRequest(scope=scope, start=0, end=1), layers=layers)
    with suppress(DaylineError):  # too many ask at once: the event itself can be told all the same
        return _explained.decode(await run_task(call, "explain_category", task)).category
    return None


def _notes(call: Call, device: str, event: Event) -> list[AnnotationView]:
    end = max(event.end, event.start + 1)  # one without length lies under what is there at its moment
    found = annotations_between(call.store, event.start, end)
    return [view_of_annotation(each) for each in found if each.device in (None, device)]
