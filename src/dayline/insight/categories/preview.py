"""Previews what a changed rule set would move in the recorded time. Only query processes import this."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from dayline.insight.active.intervals import overlaps, without
from dayline.insight.active.pieces import Pieces, active_pieces, filter_pieces
from dayline.insight.categories.classify import Classifier
from dayline.insight.categories.explain import explanation
from dayline.insight.categories.model import Move, Preview, PreviewSample, PreviewTotal
from dayline.insight.categories.tasks import PreviewTask
from dayline.insight.categories.warnings import Assignment, assign, warnings_of
from dayline.insight.now.model import Layer
from dayline.insight.request import CommonRequest, range_answer
from dayline.model.category import Path
from dayline.model.time import SECOND
from dayline.storage.columns.source import Codes, ColumnSource, Times

_MAX_MOVES: Final = 200
_LOOKED_AT: Final = 10  # combinations for each sample: the same title has one per month
_NOWHERE: Final = -1  # the category of time that does not count

Seconds = npt.NDArray[np.float64]


class _Flow(Struct, frozen=True, eq=False):
    """Time with its category before and after, and its combination."""

    source: Codes
    target: Codes
    time: Times
    combination: Codes  # of the pieces after the change if the time counts there, else of those before it
    is_after: bool = False


def preview_categories(task: PreviewTask, source: ColumnSource) -> Preview:
    """The task: what the changed rules would move."""
    common = task.common
    current, changed = Classifier.of(common.scope.categories), Classifier(task.categories)
    before = _pieces(source, common)
    names: dict[Path, int] = {}
    now = _numbers(before, names)
    new = assign(before.combinations, current, changed)
    if _counts_alike(current, changed):
        after, then = before, _with_notes(before, new, names)
        flows = [_flow(before, now, then)]
    else:
        after = _pieces(source, replace(common, scope=replace(common.scope, categories=task.categories)))
        then = _numbers(after, names)
        flows = _overlaid(before, now, after, then)
    listed = list(names)
    moves = _moves(flows, listed)
    return Preview(
        range=range_answer(common.calendar, common.start, common.end),
        moved=sum(move.seconds for move in moves),
        moves=moves[:_MAX_MOVES],
        totals=_totals(flows, listed),
        samples=_samples(task, changed, flows, (before, after), listed),
        warnings=warnings_of(current, changed, before, now, listed, new),
    )


def _pieces(source: ColumnSource, common: CommonRequest) -> Pieces:
    return filter_pieces(common, active_pieces(source, common.scope, common.start, common.end, common))


def _counts_alike(current: Classifier, changed: Classifier) -> bool:
    """Whether the same time is active with both: no category counts without input."""
    return not current.has_always_active and not changed.has_always_active


def _numbers(pieces: Pieces, names: dict[Path, int]) -> Codes:
    """The category of each combination, as an index into all names."""
    keys = pieces.combinations.keys("category")
    numbers = [names.setdefault(_path(key), len(names)) for key in keys.names]
    return np.array(numbers, dtype=np.int32)[keys.codes]


def _with_notes(pieces: Pieces, new: Assignment, names: dict[Path, int]) -> Codes:
    """The same by the changed rules. Annotations stay as they are."""
    numbers = np.array([names.setdefault(name, len(names)) for name in new.names], dtype=np.int32)
    then = _numbers(pieces, names).copy()
    then[: pieces.combinations.recorded_count] = numbers[new.categories]
    return then


def _path(key: object) -> Path:
    assert isinstance(key, tuple)
    return msgspec.convert(key, Path)


def _flow(pieces: Pieces, now: Codes, then: Codes) -> _Flow:
    """Each combination once, with its total time."""
    time = np.zeros(len(pieces.combinations), dtype=np.int64)
    np.add.at(time, pieces.combination, pieces.duration)
    used = np.flatnonzero(time).astype(np.int32)
    return _Flow(now[used], then[used], time[used], used)


def _overlaid(before: Pieces, now: Codes, after: Pieces, then: Codes) -> list[_Flow]:
    both = overlaps(before.spans, after.spans)
    first, second = before.combination[both.first], after.combination[both.second]
    lost = overlaps(before.spans, without(before.spans, after.spans))
    won = overlaps(after.spans, without(after.spans, before.spans))
    gone, came = before.combination[lost.first], after.combination[won.first]
    return [
        _Flow(now[first], then[second], both.end - both.start, second, is_after=True),
        _Flow(now[gone], _nowhere(len(gone)), lost.end - lost.start, gone),
        _Flow(_nowhere(len(came)), then[came], won.end - won.start, came, is_after=True),
    ]


def _nowhere(size: int) -> Codes:
    return np.full(size, _NOWHERE, dtype=np.int32)


def _moves(flows: Sequence[_Flow], names: Sequence[Path]) -> list[Move]:
    size = len(names) + 1
    time = np.zeros(size * size, dtype=np.int64)
    for flow in flows:
        np.add.at(time, (flow.source.astype(np.int64) + 1) * size + flow.target + 1, flow.time)
    pairs: list[int] = np.flatnonzero(time).tolist()
    moves = [
        Move(
            source=_name(names, pair // size - 1),
            target=_name(names, pair % size - 1),
            seconds=int(time[pair]) / SECOND,
        )
        for pair in pairs
        if pair // size != pair % size
    ]
    return sorted(moves, key=lambda move: -move.seconds)


def _name(names: Sequence[Path], number: int) -> Path | None:
    return None if number == _NOWHERE else names[number]


def _totals(flows: Sequence[_Flow], names: Sequence[Path]) -> list[PreviewTotal]:
    before, after = (np.zeros(len(names) + 1, dtype=np.int64) for _ in range(2))  # the last entry is nowhere
    for flow in flows:
        np.add.at(before, flow.source, flow.time)
        np.add.at(after, flow.target, flow.time)
    totals = [
        PreviewTotal(category=name, before=int(before[number]) / SECOND, after=int(after[number]) / SECOND)
        for number, name in enumerate(names)
        if before[number] or after[number]
    ]
    return sorted(totals, key=lambda total: -total.after)


def _samples(
    task: PreviewTask, changed: Classifier, flows: Sequence[_Flow], pieces: tuple[Pieces, Pieces], names: Sequence[Path]
) -> list[PreviewSample]:
    samples: dict[tuple[Path | None, Path | None, str | None, str | None, str | None], list[Any]] = {}
    for flow in flows:
        of = pieces[1 if flow.is_after else 0].combinations
        moved = np.flatnonzero(flow.source != flow.target)
        largest = moved[np.argsort(-flow.time[moved], kind="stable")[: task.samples * _LOOKED_AT]]
        for row in largest.tolist():
            data = decode_layers(of.data(int(flow.combination[row])))
            shown = shown_fields(data)
            key = (_name(names, int(flow.source[row])), _name(names, int(flow.target[row])), *shown)
            known = samples.setdefault(key, [0, data])
            known[0] += int(flow.time[row])
    ordered = sorted(samples.items(), key=lambda item: -item[1][0])[: task.samples]
    return [
        PreviewSample(
            source=source,
            target=target,
            seconds=time / SECOND,
            app=app,
            title=title,
            url=url,
            match=explanation(changed, data).winner,
        )
        for (source, target, app, title, url), (time, data) in ordered
    ]


def decode_layers(texts: dict[Layer, bytes]) -> dict[Layer, dict[str, Any]]:
    """Decode the data of layers."""
    return {layer: msgspec.json.decode(text) for layer, text in texts.items()}


def shown_fields(data: dict[Layer, dict[str, Any]]) -> tuple[str | None, str | None, str | None]:
    """The app, the title and the URL, for display."""
    return (
        _first(data, "app", ("window", "tab", "file")),
        _first(data, "title", ("window", "tab", "file")),
        _first(data, "url", ("tab", "window")),
    )


def _first(data: dict[Layer, dict[str, Any]], field: str, layers: tuple[Layer, ...]) -> str | None:
    for layer in layers:
        value = data.get(layer, {}).get(field)
        if isinstance(value, str):
            return value
    return None
