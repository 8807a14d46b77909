"""The lane of a device: its active time, as summaries count it. Only query processes import this."""

from collections.abc import Sequence
from typing import Final, cast

import numpy as np

from dayline.insight.active.pieces import Pieces as ActivePieces
from dayline.insight.active.pieces import active_pieces
from dayline.insight.common_request import FIELDS, CommonRequest, Field
from dayline.insight.filters import filtered
from dayline.insight.timeline.lanes import Lane
from dayline.insight.timeline.pieces import Spans
from dayline.model.categories import Path
from dayline.model.errors import Invalid
from dayline.query.table import NO_ID
from dayline.storage.columns import ColumnSource

ACTIVE: Final = "active"  # the type of such a lane
NO_DEVICE: Final = ""  # of entries that belong to none
_USUAL: Final[Field] = "app"


def device_lanes(source: ColumnSource, common: CommonRequest, color: str | None) -> list[Lane]:
    """The active time of each device, and what was entered by hand for no device in particular. Raises Invalid."""
    field = _field(color)
    active = filtered(common, active_pieces(source, common.scope, common.start, common.end, common))
    names = [*active.devices, NO_DEVICE]
    return [
        _lane(name, pieces, field)
        for name, pieces in zip(names, active.apart, strict=True)
        if name != NO_DEVICE or len(pieces)
    ]


def _lane(device: str, pieces: ActivePieces, field: Field) -> Lane:
    keys, categories = pieces.keys(field), pieces.keys("category")
    spans = Spans(pieces.start, pieces.end, np.full(len(pieces), NO_ID, dtype=np.int64), keys.codes, categories.codes)
    paths: list[Path] = [name for name in categories.names if isinstance(name, tuple)]
    texts = [" > ".join(path) for path in paths]
    # The names of all other fields are texts, decoded when they are looked at.
    return Lane(None, device, ACTIVE, spans, texts if field == "category" else cast("Sequence[str]", keys.names), paths)


def _field(color: str | None) -> Field:
    for field in FIELDS:
        if field == (color or _USUAL):
            return field
    raise Invalid(
        f"color: the active time of a device has no {color!r}", hint=f"one of {', '.join(FIELDS)}", field="color"
    )
