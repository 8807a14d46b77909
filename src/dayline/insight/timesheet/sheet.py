"""Makes a timesheet from the time of each day: rounding, rates and sums. Pure, no numpy."""

from collections.abc import Mapping, Sequence, Set
from datetime import date
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from dayline.insight.request import range_answer
from dayline.insight.timesheet.model import (
    Breaks,
    LeftOut,
    Rounding,
    SheetColumn,
    SheetDay,
    SheetEntry,
    SheetRules,
    SheetTotals,
    Timesheet,
    TimesheetRequest,
)
from dayline.insight.timesheet.words import WORDS
from dayline.model.category import UNCATEGORIZED, Path
from dayline.model.time import SECOND, Microseconds

_HOUR: Final = 3600 * SECOND
_WARNED: Final = _HOUR // 10
_WIDEST: Final = 6  # columns of keys next to each other, if there is no column for rounding, amounts or notes
_WIDEST_TITLES: Final = 3
_A_CENT: Final = 100  # in ten-thousandths, the unit of rates


def round_time(time: Microseconds, rounding: Rounding, step: Microseconds) -> Microseconds:
    """The time in whole steps. `nearest` rounds half a step up."""
    match rounding:
        case "none":
            return time
        case "up":
            return -(-time // step) * step
        case "nearest":
            return (2 * time + step) // (2 * step) * step
        case "down":
            return time // step * step


def shared_out(total: Microseconds, times: Sequence[Microseconds], step: Microseconds) -> list[Microseconds]:
    """Distribute a total in whole steps, in proportion to the times.

    Every share is rounded down. Remaining steps go to the shares that lost most, of equal ones to the first.
    """
    whole = sum(times)
    if not whole:
        return [0 for _ in times]
    steps = total // step
    shares = [steps * time // whole for time in times]
    lost = sorted(range(len(times)), key=lambda number: (-(steps * times[number] % whole), number))
    for number in lost[: steps - sum(shares)]:
        shares[number] += 1
    return [share * step for share in shares]


def cents_of(time: Microseconds, rate: int) -> int:
    """The price of time in hundredths, at a rate per hour in ten-thousandths; half a hundredth is rounded up."""
    whole = _HOUR * _A_CENT
    return (2 * time * rate + whole) // (2 * whole)


SheetKeyName = str | Path | None


class CountedDay(Struct, frozen=True, kw_only=True):
    """The time that counts on one day, in microseconds: of each key, and the breaks between."""

    date: date
    first: Microseconds
    last: Microseconds
    breaks: list[Microseconds]
    times: dict[SheetKeyName, Microseconds]
    notes: list[str]


class _Cell(Struct, frozen=True):
    """The rounded time of one key on one day, and its price in hundredths; None if it has no rate."""

    time: Microseconds
    rounded: Microseconds
    cents: int | None


def sheet_of(asked: TimesheetRequest, days: Sequence[CountedDay], left_out: Sequence[Microseconds]) -> Timesheet:
    """The sheet of some days. `left_out` are the entries that were too short."""
    calendar = asked.common.calendar
    keys = _column_order(days)
    rates = {key: _rate_of(asked, key) for key in keys}
    table = [_cells(asked, day, rates) for day in days]
    parents = {key[:size] for key in keys if isinstance(key, tuple) for size in range(1, len(key))}
    range_ = range_answer(calendar, asked.common.start, asked.common.end, asked.language)
    everything = [cell for cells in table for cell in cells.values()]
    exact, rounded = (sum(getattr(cell, of) for cell in everything) for of in ("time", "rounded"))
    return Timesheet(
        range=range_,
        title=asked.title or range_.label,
        by=asked.by,
        rules=_rules(asked),
        currency=asked.currency,
        columns=[_column(asked, key, rates[key], table, parents) for key in keys],
        days=[_day(asked, day, cells, keys) for day, cells in zip(days, table, strict=True)],
        totals=SheetTotals(
            days=len(days),
            seconds=exact / SECOND,
            rounded=rounded / SECOND,
            breaks=_breaks([gap for day in days for gap in day.breaks]),
            left_out=LeftOut(entries=len(left_out), seconds=sum(left_out) / SECOND),
            amount=_amount(asked, everything),
        ),
        is_listed=_is_listed(asked, len(keys), days),
        warning=_warning(asked, exact, rounded),
    )


def column_name(asked: TimesheetRequest, key: SheetKeyName, parents: Set[Path] = frozenset()) -> str:
    """A key as text. The time directly in a category is named so if the sheet has time below it, too."""
    words = WORDS[asked.language]
    if key is None:
        return words.no_key[asked.by]
    if isinstance(key, str):
        return key
    if key == UNCATEGORIZED:
        return words.uncategorized
    return words.itself.format(category="/".join(key)) if key in parents else "/".join(key)


def _column_order(days: Sequence[CountedDay]) -> list[SheetKeyName]:
    """The keys with the most time first, equal ones by name; time without a key is last."""
    sums: dict[SheetKeyName, Microseconds] = {}
    for day in days:
        for key, time in day.times.items():
            sums[key] = sums.get(key, 0) + time
    return sorted(sums, key=lambda key: (key is None, -sums[key], key if isinstance(key, tuple) else (key or "",)))


def _cells(
    asked: TimesheetRequest, day: CountedDay, rates: Mapping[SheetKeyName, int | None]
) -> dict[SheetKeyName, _Cell]:
    keys, times = list(day.times), list(day.times.values())
    if asked.rounding == "none" or asked.per == "entry":
        shares = [round_time(time, asked.rounding, asked.step) for time in times]
    else:
        shares = shared_out(round_time(sum(times), asked.rounding, asked.step), times, asked.step)
    return {
        key: _Cell(time, share, None if (rate := rates[key]) is None else cents_of(share, rate))
        for key, time, share in zip(keys, times, shares, strict=True)
    }


def _rate_of(asked: TimesheetRequest, key: SheetKeyName) -> int | None:
    """The rate of a key: its own, or that of the nearest category above it, or else the default."""
    rates = {**asked.project_rates, **{each.key: each.rate for each in asked.rates}}
    texts = ["/".join(key[:size]) for size in range(len(key), 0, -1)] if isinstance(key, tuple) else [key or ""]
    return next((rates[text] for text in texts if text in rates), asked.rate)


def _column(
    asked: TimesheetRequest,
    key: SheetKeyName,
    rate: int | None,
    table: Sequence[Mapping[SheetKeyName, _Cell]],
    parents: Set[Path],
) -> SheetColumn:
    cells = [cells[key] for cells in table if key in cells]
    return SheetColumn(
        key=key,
        name=column_name(asked, key, parents),
        seconds=sum(cell.time for cell in cells) / SECOND,
        rounded=sum(cell.rounded for cell in cells) / SECOND,
        rate=UNSET if rate is None else rate / 10_000,
        amount=_amount(asked, cells),
    )


def _day(
    asked: TimesheetRequest, day: CountedDay, cells: Mapping[SheetKeyName, _Cell], keys: Sequence[SheetKeyName]
) -> SheetDay:
    calendar = asked.common.calendar
    return SheetDay(
        date=day.date.isoformat(),
        first=calendar.text(day.first),
        last=calendar.text(day.last),
        breaks=_breaks(day.breaks),
        entries=[
            SheetEntry(
                column=number,
                seconds=cells[key].time / SECOND,
                rounded=cells[key].rounded / SECOND,
                amount=_amount(asked, [cells[key]]),
            )
            for number, key in enumerate(keys)
            if key in cells
        ],
        seconds=sum(cell.time for cell in cells.values()) / SECOND,
        rounded=sum(cell.rounded for cell in cells.values()) / SECOND,
        amount=_amount(asked, list(cells.values())),
        notes=day.notes if asked.has_notes else UNSET,
    )


def _amount(asked: TimesheetRequest, cells: Sequence[_Cell]) -> float | UnsetType:
    """The price of some cells; unset if none has a rate."""
    if not asked.has_rates:
        return UNSET
    return sum(cell.cents or 0 for cell in cells) / 100


def _breaks(gaps: Sequence[Microseconds]) -> Breaks:
    return Breaks(count=len(gaps), seconds=sum(gaps) / SECOND)


def _rules(asked: TimesheetRequest) -> SheetRules:
    return SheetRules(
        round=asked.rounding,
        to=asked.step / SECOND,
        per=asked.per,
        least=asked.least / SECOND,
        gaps=asked.gaps / SECOND,
        text=_rules_text(asked),
    )


def _is_listed(asked: TimesheetRequest, keys: int, days: Sequence[CountedDay]) -> bool:
    """Whether the keys do not fit next to each other: on paper, or beside the options in a window of 1440 pixels."""
    has_notes = asked.has_notes and any(day.notes for day in days)
    others = (asked.rounding != "none") + asked.has_rates + has_notes
    widest = _WIDEST_TITLES if asked.by == "title" else _WIDEST
    return keys > max(1, widest - others)


def _warning(asked: TimesheetRequest, exact: Microseconds, rounded: Microseconds) -> str | UnsetType:
    """What rounding each entry does to the total; unset if it is less than the hours show."""
    by = rounded - exact
    if asked.rounding == "none" or asked.per == "day" or abs(by) < _WARNED:
        return UNSET
    words = WORDS[asked.language]
    hours = {"by": abs(by), "exact": exact, "rounded": rounded}
    texts = {name: words.number(time / _HOUR, 1) for name, time in hours.items()}
    return (words.adds if by > 0 else words.removes).format(**texts)


def _rules_text(asked: TimesheetRequest) -> str:
    words = WORDS[asked.language]
    sentences = [words.is_exact]
    if asked.rounding != "none":
        sentences = [words.rounded[asked.rounding][asked.per].format(step=words.length(asked.step))]
    if asked.gaps:
        sentences.append(words.gaps.format(length=words.length(asked.gaps)))
    if asked.least:
        sentences.append(words.least.format(length=words.length(asked.least)))
    return " ".join(sentences)
