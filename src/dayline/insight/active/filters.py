"""The filters of a request on active time.

All filters must match; of several `is` filters on one field, one is enough.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from dayline.insight.request import CommonRequest, Field, Filter
from dayline.model.category import Path

T = TypeVar("T")


def chosen_devices(common: CommonRequest, devices: Iterable[T], name: Callable[[T], str]) -> list[T]:
    """The devices that a request selects, by `device` and by filters."""
    filters = [each for each in common.filters if each.field == "device"]
    return [
        device
        for device in devices
        if (not common.devices or name(device) in common.devices) and passes(filters, name(device))
    ]


def has_every_device(common: CommonRequest) -> bool:
    """Whether time without a device counts."""
    return not common.devices and keeps(common, "device", None)


def passes(filters: Sequence[Filter], key: str | Path | None) -> bool:
    """Whether a key passes the filters on its field. None means that there is no key."""
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
    if asked.field == "project":  # named by hand, and by editors after folders
        return isinstance(key, str) and key.casefold() == asked.value.casefold()
    return key == (asked.path if asked.field == "category" else asked.value)


def keeps(common: CommonRequest, field: Field, key: str | Path | None) -> bool:
    """Whether a key of a field passes the filters on that field."""
    return passes([each for each in common.filters if each.field == field], key)
