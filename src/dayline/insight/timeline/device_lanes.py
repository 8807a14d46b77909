"""The lane of a device: its active time, as summaries count it. Only query processes import this."""

from collections.abc import Iterator, Sequence
from typing import Final, cast

import numpy as np

from dayline.insight.active.combinations import Key
from dayline.insight.active.devices import devices_of
from dayline.insight.active.pieces import Pieces as ActivePieces
from dayline.insight.active.pieces import active_pieces
from dayline.insight.common_request import FIELDS, CommonRequest, Field
from dayline.insight.filters import chosen_devices, filtered
from dayline.insight.timeline.drawn import Drawn, drawn
from dayline.insight.timeline.grid import Grid
from dayline.insight.timeline.lanes import Lane
from dayline.insight.timeline.long_lanes import long_lanes
from dayline.insight.timeline.pieces import Spans
from dayline.model.categories import Path
from dayline.model.errors import Invalid
from dayline.query.table import NO_ID
from dayline.storage.columns.source import ColumnSource

ACTIVE: Final = "active"  # the type of such a lane
NO_DEVICE: Final = ""  # of entries that belong to none
_USUAL: Final[Field] = "app"


def device_lanes(source: ColumnSource, common: CommonRequest, grid: Grid, color: str | None) -> Iterator[Drawn]:
    """The active time of each device, and what was entered by hand for no device in particular. Raises Invalid."""
    field = _field(color)
    devices = chosen_devices(common, devices_of(source.buckets()), lambda device: device.name)
    names = [*(device.name for device in devices), NO_DEVICE]
    lanes = long_lanes(source, common, grid, field)
    if lanes is None:
        active = filtered(common, active_pieces(source, common.scope, common.start, common.end, common))
        found = (_drawn(name, each, field, grid) for name, each in zip(names, active.apart, strict=True))
    else:
        found = (
            Drawn(None, name, ACTIVE, _texts(lane.keys), _paths(lane.categories), lane.pieces, lane.density)
            for name, lane in zip(names, lanes, strict=True)
        )
    yield from (each for each in found if each.device != NO_DEVICE or len(each.pieces))


def _drawn(device: str, pieces: ActivePieces, field: Field, grid: Grid) -> Drawn:
    keys, categories = pieces.keys(field), pieces.keys("category")
    spans = Spans(pieces.start, pieces.end, np.full(len(pieces), NO_ID, dtype=np.int64), keys.codes, categories.codes)
    return drawn(Lane(None, device, ACTIVE, spans, _texts(keys.names), _paths(categories.names)), grid)


def _paths(names: Sequence[Key]) -> Sequence[Path]:
    return [name for name in names if isinstance(name, tuple)]


def _texts(names: Sequence[Key]) -> Sequence[str]:
    """Keys as texts. Those of most fields are, and are decoded when they are looked at."""
    if names and isinstance(names[0], tuple):
        return [" > ".join(name) for name in names]
    return cast("Sequence[str]", names)


def _field(color: str | None) -> Field:
    for field in FIELDS:
        if field == (color or _USUAL):
            return field
    raise Invalid(
        f"color: the active time of a device has no {color!r}", hint=f"one of {', '.join(FIELDS)}", field="color"
    )
