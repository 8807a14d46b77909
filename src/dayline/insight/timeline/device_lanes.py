"""The lane of a device: its active time, as in summaries. Only query processes import this."""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from dayline.insight.active.combinations import Key
from dayline.insight.active.filters import chosen_devices
from dayline.insight.active.layers import devices_of
from dayline.insight.active.pieces import Pieces as ActivePieces
from dayline.insight.active.pieces import active_pieces, filter_pieces
from dayline.insight.request import FIELDS, CommonRequest, Field
from dayline.insight.timeline.lanes import DrawnLane, Lane, draw, texts
from dayline.insight.timeline.long_range import long_lanes
from dayline.insight.timeline.pieces import Grid, Spans
from dayline.model.category import Path
from dayline.model.errors import Invalid
from dayline.query.columns.table import NO_ID
from dayline.storage.columns.source import ColumnSource

ACTIVE: Final = "active"  # the type of such a lane
NO_DEVICE: Final = ""  # entries without a device
_USUAL: Final[Field] = "app"


def device_lanes(source: ColumnSource, common: CommonRequest, grid: Grid, color: str | None) -> Iterator[DrawnLane]:
    """The active time of each device, and of entries without a device. Raises Invalid."""
    field = _field(color)
    devices = chosen_devices(common, devices_of(source.buckets()), lambda device: device.name)
    names = [*(device.name for device in devices), NO_DEVICE]
    lanes = long_lanes(source, common, grid, field)
    if lanes is None:
        active = filter_pieces(common, active_pieces(source, common.scope, common.start, common.end, common))
        drawn = (_draw_device(name, each, field, grid) for name, each in zip(names, active.apart, strict=True))
    else:
        drawn = (
            DrawnLane(None, name, ACTIVE, texts(lane.keys), _paths(lane.categories), lane.pieces, lane.density)
            for name, lane in zip(names, lanes, strict=True)
        )
    yield from (each for each in drawn if each.device != NO_DEVICE or len(each.pieces))


def _draw_device(device: str, pieces: ActivePieces, field: Field, grid: Grid) -> DrawnLane:
    keys, categories, titles = pieces.keys(field), pieces.keys("category"), pieces.keys("title")
    ids = np.full(len(pieces), NO_ID, dtype=np.int64)
    spans = Spans(pieces.start, pieces.end, ids, keys.codes, categories.codes, titles.codes)
    names = texts(keys.names), _paths(categories.names), texts(titles.names)
    return draw(Lane(None, device, ACTIVE, spans, *names), grid)


def _paths(names: Sequence[Key]) -> Sequence[Path]:
    return [name for name in names if isinstance(name, tuple)]


def _field(color: str | None) -> Field:
    for field in FIELDS:
        if field == (color or _USUAL):
            return field
    raise Invalid(
        f"color: the active time of a device has no {color!r}", hint=f"use one of {', '.join(FIELDS)}", field="color"
    )
