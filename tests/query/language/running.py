"""Runs a program without the functions that work on events, unless some are handed over."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from dayline.model.time import Period
from dayline.query.columns.table import Table
from dayline.query.errors import QueryError, SourcePosition
from dayline.query.functions.values import LANGUAGE_FUNCTIONS
from dayline.query.language.ast import SourceText
from dayline.query.language.environment import Context, Function, Trace
from dayline.query.language.interpreter import Report, run
from dayline.query.language.parser import parse
from dayline.query.language.values import Value
from dayline.storage.columns.source import EventColumns, ReadReport
from tests.support.query.tables import MemorySource, StoredEvent

HOUR = Period(1_000_000_000_000_000, 1_000_003_600_000_000)


def context_of(
    source: MemorySource | None = None, *, period: Period = HOUR, printed: list[str] | None = None
) -> Context:
    return Context(
        source=MemorySource({}) if source is None else source,
        periods=[period],
        period=period,
        trace=Trace(),
        printed=[] if printed is None else printed,
    )


def result_of(
    text: str,
    *,
    functions: Mapping[str, Function] | None = None,
    context: Context | None = None,
    name: str = "",
    report: Report | None = None,
) -> Value:
    """The value of RETURN."""
    return run(
        parse(SourceText(text)),
        context_of() if context is None else context,
        functions={**LANGUAGE_FUNCTIONS, **(functions or {})},
        name=name,
        report=report,
    )


def value_of(expression: str, **given: Any) -> Value:
    return result_of(f"RETURN = {expression};", **given)


def task_refusal(text: str, kind: type[QueryError], **given: Any) -> QueryError:
    """The error of a program, which must be of exactly this kind."""
    with pytest.raises(QueryError) as caught:
        result_of(text, **given)
    assert type(caught.value) is kind
    return caught.value


def place_of(error: QueryError) -> SourcePosition:
    assert error.place is not None
    return error.place


def pointed_at(error: QueryError) -> tuple[int, int]:
    """Line and column."""
    place = place_of(error)
    return place.line, place.column


def table_of(events: Sequence[StoredEvent]) -> Table:
    """A list of events, in the order of their starts."""
    columns: EventColumns = MemorySource({"b": events}).events("b", 0, 2**62, ReadReport())
    return Table(columns.start, columns.end, columns.id, columns.value, columns.dictionary)
