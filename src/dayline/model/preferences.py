"""A person's preferences: how days are cut, and how things are shown. Each is stored by itself, and has its history."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import Invalid
from dayline.model.wire import decode_body

ZoneName = Annotated[
    str, Meta(min_length=1, max_length=64, description="an IANA time zone", examples=["Europe/Berlin"])
]
ClockTime = Annotated[
    str,
    Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", max_length=5, description="a time of the day", examples=["04:00"]),
]
Language = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        max_length=35,
        description="a language tag",
        examples=["de", "pt-BR"],
    ),
]
WeekStart: TypeAlias = Literal["monday", "sunday", "saturday"]
DurationStyle: TypeAlias = Literal["hours", "clock", "decimal"]  # 1 h 30 m, 1:30, 1.5 h
Theme: TypeAlias = Literal["auto", "light", "dark"]
Density: TypeAlias = Literal["comfortable", "compact"]


class Preferences(Struct, frozen=True, kw_only=True):
    """What a person prefers. `null` leaves a choice to the browser."""

    time_zone: ZoneName | None = None
    day_start: ClockTime = "04:00"
    week_start: WeekStart = "monday"
    language: Language | None = None
    duration_style: DurationStyle = "hours"
    theme: Theme = "auto"
    density: Density = "comfortable"
    reduced_motion: bool | None = None
    single_letter_keys: bool = True


class PreferencesChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be changed, and nothing else. `null` puts a preference back to what it is by itself."""

    time_zone: ZoneName | UnsetType | None = UNSET
    day_start: ClockTime | UnsetType | None = UNSET
    week_start: WeekStart | UnsetType | None = UNSET
    language: Language | UnsetType | None = UNSET
    duration_style: DurationStyle | UnsetType | None = UNSET
    theme: Theme | UnsetType | None = UNSET
    density: Density | UnsetType | None = UNSET
    reduced_motion: bool | UnsetType | None = UNSET
    single_letter_keys: bool | UnsetType | None = UNSET


PREFERENCES: Final = Preferences.__struct_fields__  # their names are the keys of own settings

_change = msgspec.json.Decoder(PreferencesChange)


def decode_preferences_change(body: bytes) -> dict[str, CanonicalJson | None]:
    """The own settings that a body changes; None: to be removed. Raises Malformed or Invalid."""
    change = decode_body(body, _change)
    if isinstance(change.time_zone, str):
        check_zone(change.time_zone)
    if isinstance(change.language, str) and change.language.endswith("\n"):  # for which `$` has an eye closed
        raise Invalid("language: it ends with a line feed", field="language")
    given = {name: getattr(change, name) for name in PREFERENCES}
    return {
        name: None if value is None else canonical_json(value) for name, value in given.items() if value is not UNSET
    }


def preferences_of(stored: Mapping[str, CanonicalJson]) -> Preferences:
    """The preferences among own settings. One that this version does not understand counts as not set."""
    known: dict[str, Any] = {}
    for name in PREFERENCES:
        text = stored.get(name)
        if text is None:
            continue
        try:
            msgspec.convert({name: msgspec.json.decode(text)}, Preferences)
        except msgspec.MsgspecError:
            continue
        known[name] = msgspec.json.decode(text)
    return Preferences(**known)


def check_zone(name: str) -> None:
    """Raise Invalid unless it is the name of a time zone."""
    if name not in _zones():
        raise Invalid(
            f"time_zone: there is no time zone {name!r}",
            hint="a name like Europe/Berlin or UTC; null is that of the browser",
            field="time_zone",
        )


@cache
def _zones() -> frozenset[str]:
    from importlib.resources import files  # here, because it takes its time, and few calls set a zone

    # From the list of the package, not from the system: the same everywhere, and no name is taken for a path.
    return frozenset((files("tzdata") / "zones").read_text("utf-8").split())
