"""Parses the text of a search box. Pure, no numpy.

    rust lifetimes -youtube domain:doc "borrow checker" after:2026-06 dur>2m

Words match prefixes; quoted words match whole words in this order. Anything that is not an operator is text, including
`std::vector` and a pasted URL: little should be an error while the user types.
"""

import re
from collections.abc import Sequence
from datetime import date
from itertools import pairwise
from typing import Final, Literal, TypeAlias, cast, get_args

from msgspec import Struct

from dayline.insight.calendar import Calendar, Unit, add_units
from dayline.model.category import Path
from dayline.model.errors import Malformed
from dayline.model.time import EARLIEST, LATEST, SECOND, Microseconds, parse_parameter, shorten
from dayline.transform.text import Clause, TextField, TextQuery, clause_of, is_in
from dayline.transform.words import is_of_a_run, words

PlaceField: TypeAlias = Literal["bucket", "device", "type"]
TimeField: TypeAlias = Literal["after", "before", "on"]

_TEXT_FIELDS: Final[dict[str, TextField]] = {"app": "app", "title": "title", "url": "url", "domain": "domain"}
_PLACE_FIELDS: Final[dict[str, PlaceField]] = {"bucket": "bucket", "device": "device", "type": "type"}
_TIME_FIELDS: Final[tuple[TimeField, ...]] = get_args(TimeField)
_FIELDS: Final = (*_TEXT_FIELDS, *_PLACE_FIELDS, *_TIME_FIELDS, "category")
_ITEM: Final = re.compile(
    rf"(?P<minus>-)?(?:(?P<field>{'|'.join(_FIELDS)}):|(?P<dur>dur)(?P<compare>[<>]=?))?"
    r'(?:"(?P<quoted>[^"]*)(?P<close>"?)|(?P<bare>[^\s"]*))',
    re.IGNORECASE,
)
_BLANK: Final = re.compile(r"\s*")
_DURATION: Final = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?", re.IGNORECASE)
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_MAX_SECONDS: Final = 10**8


class PlaceClause(Struct, frozen=True, kw_only=True):
    """Words of a bucket's id, device or type."""

    field: PlaceField
    clause: Clause

    def holds(self, text: str) -> bool:
        return is_in(self.clause, words(text)) is not self.clause.is_negated


class CategoryClause(Struct, frozen=True, kw_only=True):
    """A category, or one below it."""

    path: Path
    is_negated: bool = False


class SearchQuery(Struct, frozen=True, kw_only=True):
    """All parts must match. Time ranges are half-open, durations include both limits."""

    texts: TextQuery = TextQuery()
    places: tuple[PlaceClause, ...] = ()
    categories: tuple[CategoryClause, ...] = ()
    start: Microseconds = EARLIEST
    end: Microseconds = LATEST
    shortest: Microseconds = 0
    longest: Microseconds | None = None

    @property
    def is_empty(self) -> bool:
        return self == SearchQuery()


def parse_search(text: str, calendar: Calendar, now: Microseconds) -> SearchQuery:
    """Parse a search. Raises Malformed."""
    parser = _Parser(calendar, now)
    at = 0
    while (at := cast(re.Match[str], _BLANK.match(text, at)).end()) < len(text):
        item = cast(re.Match[str], _ITEM.match(text, at))
        parser.take(item)
        at = max(item.end(), at + 1)
    return parser.query()


def format_query(query: SearchQuery, calendar: Calendar) -> str:
    """The query as text, for display; parsing it gives the same query."""
    items = [_written_clause(clause, clause.field) for clause in query.texts.clauses]
    items += [_written_clause(place.clause, place.field) for place in query.places]
    items += [f'{"-" * clause.is_negated}category:"{"/".join(clause.path)}"' for clause in query.categories]
    items += [f"after:{calendar.text(query.start)}"] * (query.start != EARLIEST)
    items += [f"before:{calendar.text(query.end)}"] * (query.end != LATEST)
    items += [f"dur>={_seconds(query.shortest)}"] * (query.shortest > 0)
    if query.longest is not None:
        items.append(f"dur<={_seconds(query.longest)}")
    return " ".join(items)


class _Parser:
    """Collects the clauses of a query."""

    def __init__(self, calendar: Calendar, now: Microseconds) -> None:
        self._calendar = calendar
        self._now = now
        self._texts: list[Clause] = []
        self._places: list[PlaceClause] = []
        self._categories: list[CategoryClause] = []
        self._start, self._end = EARLIEST, LATEST
        self._shortest: Microseconds = 0
        self._longest: Microseconds | None = None

    def query(self) -> SearchQuery:
        return SearchQuery(
            texts=TextQuery(tuple(self._texts)),
            places=tuple(self._places),
            categories=tuple(self._categories),
            start=self._start,
            end=self._end,
            shortest=self._shortest,
            longest=self._longest,
        )

    def take(self, item: re.Match[str]) -> None:
        field = (item["field"] or item["dur"] or "").lower()
        is_quoted = item["quoted"] is not None
        value = item["quoted"] if is_quoted else item["bare"]
        if not value:
            return  # `app:` or a minus sign that the user is still typing
        is_negated = item["minus"] is not None
        if field == "dur" or field in _TIME_FIELDS:
            if is_negated:
                raise Malformed(f"q: {field} cannot be negated", hint="after is the opposite of before", field="q")
            self._bound(field, item["compare"], value)
        elif field == "category":
            self._categories.append(CategoryClause(path=tuple(value.split("/")), is_negated=is_negated))
        else:
            # Quoted words match whole words, except the last one while the quote is open.
            self._words(field, value, is_prefix=not (is_quoted and item["close"]), is_negated=is_negated)

    def _words(self, field: str, value: str, *, is_prefix: bool, is_negated: bool) -> None:
        own = _TEXT_FIELDS.get(field)
        clause = clause_of(value, is_prefix=is_prefix, field=own, is_negated=is_negated)
        if clause is None:
            return  # contains no letter or digit
        if field in _PLACE_FIELDS:
            self._places.append(PlaceClause(field=_PLACE_FIELDS[field], clause=clause))
        else:
            self._texts.append(clause)

    def _bound(self, field: str, compare: str | None, value: str) -> None:
        if field == "dur":
            self._bound_duration(compare or "", value)
            return
        first, after = _span(value, field, self._calendar, self._now)
        if field != "before":
            self._start = max(self._start, first)
        if field != "after":
            self._end = min(self._end, after if field == "on" else first)

    def _bound_duration(self, compare: str, value: str) -> None:
        duration = _duration(value)
        if compare.startswith(">"):
            self._shortest = max(self._shortest, duration + (compare == ">"))
        else:
            longest = duration - (compare == "<")
            self._longest = longest if self._longest is None else min(self._longest, longest)


def _span(text: str, field: str, calendar: Calendar, now: Microseconds) -> tuple[Microseconds, Microseconds]:
    """The day, month or year that a text names, or a time."""
    if text.lower() in ("today", "yesterday"):
        day = add_units("day", calendar.day_of(now), -(text.lower() == "yesterday"))
        return calendar.span(day, add_units("day", day, 1))
    match = _DATE.fullmatch(text)
    try:
        if match is None:
            moment = parse_parameter(text)
            return moment, moment + 1
        unit: Unit = "day" if match[3] else "month" if match[2] else "year"
        first = date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
        if not 1970 <= first.year <= 2260:
            raise ValueError(text)
        return calendar.span(first, add_units(unit, first, 1))
    except ValueError as error:
        raise Malformed(
            f"q: {field}: {shorten(text)!r} is not a time",
            hint="write 2026, 2026-03, 2026-03-05, today, yesterday or 2026-03-05T10:00:00Z",
            field="q",
        ) from error


def _duration(text: str) -> Microseconds:
    match = _DURATION.fullmatch(text)
    if match is None or not any(match.groups()):
        raise Malformed(f"q: {shorten(text)!r} is not a duration", hint="write 90, 90s, 2m or 1h30m", field="q")
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return round(min(total, _MAX_SECONDS) * SECOND)


def _seconds(duration: Microseconds) -> str:
    whole, rest = divmod(duration, SECOND)
    return f"{whole}.{rest:06}s" if rest else f"{whole}s"


def _written_clause(clause: Clause, field: str | None) -> str:
    return f"{'-' * clause.is_negated}{f'{field}:' if field else ''}{_written_words(clause.words, clause.is_prefix)}"


def _written_words(texts: Sequence[str], is_prefix: bool) -> str:
    # Overlapping pairs are written as the sequence that they come from.
    text = texts[0]
    for before, word in pairwise(texts):
        text += word[1:] if len(before) == 2 and is_of_a_run(before) else f".{word}"
    return text if is_prefix else f'"{text}"'
