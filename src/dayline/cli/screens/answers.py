"""What the server answers, as far as it is shown. Fields that this version does not know are passed over."""

from msgspec import Struct

Key = str | tuple[str, ...]


class RangeShown(Struct, frozen=True, kw_only=True):
    start: str
    end: str
    tz: str = "UTC"
    day_start: str = "04:00"
    label: str = ""


class Totals(Struct, frozen=True, kw_only=True):
    """Seconds, and RFC 3339 times of the first and the last activity."""

    active: float = 0.0
    away: float = 0.0
    nodata: float = 0.0
    first: str | None = None
    last: str | None = None
    longest_focus: float = 0.0
    switches: int = 0
    overlap: float = 0.0


class Item(Struct, frozen=True, kw_only=True):
    """One row of a list. `category` is that of most of its time."""

    key: Key
    seconds: float
    share: float = 0.0
    prev: float | None = None
    category: tuple[str, ...] | None = None


class DeviceTime(Struct, frozen=True, kw_only=True):
    device: str
    seconds: float


class Compared(Struct, frozen=True, kw_only=True):
    """`whole` is the whole earlier period, where only its elapsed part counts."""

    range: RangeShown
    whole: RangeShown | None = None
    totals: Totals


class Summary(Struct, frozen=True, kw_only=True):
    range: RangeShown
    totals: Totals
    lists: dict[str, list[Item]] = {}
    more: dict[str, int] = {}
    devices: list[DeviceTime] = []
    compare: Compared | None = None


class Series(Struct, frozen=True, kw_only=True):
    """`values` are the seconds of each key in each bin; `edges` is one longer than they are."""

    range: RangeShown
    edges: list[str]
    keys: list[Key] = []
    values: list[list[float]] = []
    other: list[float] = []
    total: list[float] = []
