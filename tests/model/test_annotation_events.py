"""Annotations as events: there and back, and whatever else may stand in their bucket."""

from typing import Any, get_args

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from dayline.model.data import canonical_json
from dayline.model.edits.annotation import (
    Annotation,
    AnnotationChange,
    AnnotationKind,
    annotation_of,
    changed_annotation,
    event_of_annotation,
)
from dayline.model.event import Event

texts = st.text(st.characters(codec="utf-8"), max_size=20)
paths = st.lists(texts.filter(bool), min_size=1, max_size=3).map(tuple)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
known = st.sampled_from(["kind", "label", "category", "device", "note", "is_on"])
likely = st.sampled_from(["label", "category", "exclude", "entry", True, False, ["Work"], [], "laptop"])


@st.composite
def annotations(draw: st.DrawFn) -> Annotation:
    """Any that can be used."""
    kind: AnnotationKind = draw(st.sampled_from(get_args(AnnotationKind)))
    start = draw(st.integers(0, 10**15))
    category: Any = {"category": paths, "entry": st.none() | paths}.get(kind, st.none())
    return Annotation(
        id=draw(st.integers(1, 10**6)),
        kind=kind,
        start=start,
        end=start + draw(st.integers(1, 10**12)),
        device=draw(st.none() | texts),
        label=draw(texts.filter(bool) if kind == "label" else texts),
        category=draw(category),
        note=draw(texts),
        is_on=draw(st.booleans()),
    )


@given(annotations())
def test_annotation_is_read_as_it_was_stored(annotation: Annotation) -> None:
    assert annotation_of(event_of_annotation(annotation)) == annotation


@given(annotations(), st.dictionaries(texts, json_values, max_size=3))
def test_what_else_is_in_the_data_stays_when_an_annotation_is_changed(
    annotation: Annotation, others: dict[str, Any]
) -> None:
    others = {key: value for key, value in others.items() if key not in Annotation.__struct_fields__}
    event = event_of_annotation(annotation)
    former = msgspec.structs.replace(event, data=canonical_json({**msgspec.json.decode(event.data), **others}))

    changed = changed_annotation(annotation, AnnotationChange(is_on=not annotation.is_on, note="changed"))
    data = msgspec.json.decode(event_of_annotation(changed, former).data)

    assert {key: data[key] for key in others} == others
    assert data["note"] == "changed"


@given(st.dictionaries(known | texts, likely | json_values, max_size=6), st.integers(-(10**9), 10**9))
def test_any_event_in_the_bucket_is_an_annotation_or_ignored(data: dict[str, Any], duration: int) -> None:
    found = annotation_of(Event(id=1, start=10**12, duration=duration, data=canonical_json(data)))

    assert found is None or (found.end > found.start and found.kind == data["kind"])
    if found is not None:
        assert annotation_of(event_of_annotation(found)) == found
