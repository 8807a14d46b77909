"""The parameters of a timesheet, read from the URL and checked."""

import re
from decimal import Decimal, InvalidOperation
from typing import Final, get_args

from dayline.api.call import Call
from dayline.api.common_parameters import choice
from dayline.insight.common_request import CommonRequest
from dayline.insight.timesheet_request import (
    ROUNDINGS,
    SHEET_FIELDS,
    STEP,
    KeyRate,
    Per,
    SheetFormat,
    TimesheetRequest,
)
from dayline.model.errors import Malformed
from dayline.model.timestamps import DAY, SECOND, Microseconds, shorten

_LENGTH: Final = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)(s|m|h)?")
_UNITS: Final = {"s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_MOST_A_HOUR: Final = Decimal(1_000_000)
_LONGEST_TEXT: Final = 200


def timesheet_parameters(call: Call, common: CommonRequest) -> TimesheetRequest:
    """What the call asks for. Raises Malformed."""
    step = _length(call, "to", STEP)
    if not step:
        raise Malformed("to: times cannot be rounded to nothing", hint="write to=15m", field="to")
    rate = call.request.get_param("rate")
    return TimesheetRequest(
        common=common,
        by=choice(call, "by", SHEET_FIELDS, "category"),
        format=choice(call, "format", get_args(SheetFormat), "json"),
        rounding=choice(call, "round", ROUNDINGS, "none"),
        step=step,
        per=choice(call, "per", get_args(Per), "entry"),
        least=_length(call, "least", 0),
        gaps=_length(call, "gaps", 0),
        rate=None if rate is None else _rate(rate, "rate"),
        rates=tuple(_key_rate(text) for text in (call.request.get_param("rates") or "").split(",") if text.strip()),
        currency=_text(call, "currency", 12),
        title=_text(call, "title", _LONGEST_TEXT),
        has_notes=choice(call, "notes", ("on", "off"), "on") == "on",
    )


def _length(call: Call, name: str, default: Microseconds) -> Microseconds:
    """A length like 15m, 90s or 1.5h; a number alone are minutes."""
    text = call.request.get_param(name)
    if text is None:
        return default
    found = _LENGTH.fullmatch(text)
    length = None if found is None else int(Decimal(found[1]) * _UNITS[found[2] or "m"])
    if length is None or length > DAY:
        raise Malformed(f"{name}: {shorten(text)!r} is not a length up to a day", hint="write 15m or 90s", field=name)
    return length


def _rate(text: str, field: str) -> int:
    """A rate an hour in ten-thousandths."""
    try:
        rate = Decimal(text.strip())
        if not rate.is_finite() or not 0 <= rate <= _MOST_A_HOUR:
            raise InvalidOperation(text)
        return int(rate.quantize(Decimal("0.0001")) * 10_000)
    except InvalidOperation as error:
        raise Malformed(
            f"{field}: {shorten(text)!r} is not a rate an hour", hint="write 80 or 82.50", field=field
        ) from error


def _key_rate(text: str) -> KeyRate:
    key, colon, rate = text.rpartition(":")
    if not colon or not key.strip():
        raise Malformed(
            f"rates: {shorten(text)!r} is not a rate of something",
            hint="write Work/Code:95,Work/Docs:80",
            field="rates",
        )
    return KeyRate(key=key.strip(), rate=_rate(rate, "rates"))


def _text(call: Call, name: str, longest: int) -> str:
    text = call.request.get_param(name) or ""
    if len(text) > longest:
        raise Malformed(f"{name} is longer than {longest} characters", field=name)
    return text
