"""Which devices, and what of their time, a request asks for. Only query processes import this.

All filters have to hold; of several that say what one field has to be, one is enough.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dayline.insight.common_request import FIELDS, CommonRequest, Field, Filter
from dayline.model.categories import Path

if TYPE_CHECKING:
    from dayline.insight.active.pieces import Pieces

T = TypeVar("T")


def chosen_devices(common: CommonRequest, devices: Iterable[T], name: Callable[[T], str]) -> list[T]:
    """The devices that are asked about: by `device`, and by filters on them."""
    filters = [each for each in common.filters if each.field == "device"]
    return [
        device
        for device in devices
        if (not common.devices or name(device) in common.devices) and _passes(filters, name(device))
    ]


def has_every_device(common: CommonRequest) -> bool:
    """Whether time counts that belongs to no device."""
    return not common.devices and keeps(common, "device", None)


def filtered(common: CommonRequest, pieces: "Pieces") -> "Pieces":
    """The pieces for which all filters hold, of each device by itself too."""
    filters = [each for each in common.filters if each.field != "device"]
    if not filters:
        return pieces
    holds = np.ones(len(pieces.combinations), dtype=np.bool_)
    for field in FIELDS:
        listed = [each for each in filters if each.field == field]
        if not listed:
            continue
        keys = pieces.combinations.keys(field)
        passes = np.array([*(_passes(listed, key) for key in keys.names), _passes(listed, None)], dtype=np.bool_)
        holds &= passes[keys.codes]
    chosen = pieces.take(holds[pieces.combination])
    return chosen.with_apart([each.take(holds[each.combination]) for each in pieces.apart])


def _passes(filters: Sequence[Filter], key: str | Path | None) -> bool:
    """Whether a key passes the filters on its field; None is no key."""
    wanted = [each for each in filters if each.op != "not"]
    return all(not _is(each, key) for each in filters if each.op == "not") and (
        not wanted or any(_holds(each, key) for each in wanted)
    )


def _holds(asked: Filter, key: str | Path | None) -> bool:
    match asked.op:
        case "is" | "not":
            return _is(asked, key)
        case "under":
            return isinstance(key, tuple) and key[: len(asked.path)] == asked.path
        case "has":
            text = "/".join(key) if isinstance(key, tuple) else key
            return text is not None and asked.value.casefold() in text.casefold()


def _is(asked: Filter, key: str | Path | None) -> bool:
    return key == (asked.path if asked.field == "category" else asked.value)


def keeps(common: CommonRequest, field: Field, key: str | Path | None) -> bool:
    """Whether a key of a field passes the filters on that field."""
    return _passes([each for each in common.filters if each.field == field], key)
