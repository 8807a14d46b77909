"""Plans a redaction: compares every value of an engine with the rules, and surveys those that change in a file.

It takes a while: call it in a child process.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import apsw

from dayline.model.privacy.redaction import RedactionOrder, RedactionPreview
from dayline.runtime.sqlite_file import connect
from dayline.storage.redaction.survey import EventCount, Survey, Value


class StoredValues(Protocol):
    """The values of a tenant. Each read is a short transaction."""

    def buckets(self) -> dict[int, str]:
        """The ids of all buckets, also deleted ones, by key."""
        ...

    def pages(self, buckets: Collection[int]) -> Iterator[list[Value]]:
        """The values of these buckets; others may be among them."""
        ...

    def event_counts(self, bucket: int) -> Iterator[list[EventCount]]:
        """The events of each value and month."""
        ...

    def texts(self, buckets: Collection[int], keys: Sequence[int]) -> Mapping[int, str]:
        """The texts of values that still exist."""
        ...


def new_plan_file(path: Path) -> apsw.Connection:
    """An unfinished file is thrown away: it needs no protection."""
    file = connect(path)
    for pragma, value in (("journal_mode", "OFF"), ("synchronous", "OFF"), ("temp_store", "MEMORY")):
        file.pragma(pragma, value)
    return file


def make_plan(values: StoredValues, file: apsw.Connection, order: RedactionOrder) -> RedactionPreview:
    """Write what changes to a new file, and return a summary."""
    survey = Survey(file, order, values.buckets())
    buckets = survey.buckets.keys()
    changed: set[int] = set()
    for page in values.pages(buckets):
        changed |= survey.note(page)
    for bucket in sorted(changed):
        for counts in values.event_counts(bucket):
            survey.count(counts)
    return survey.preview(lambda keys: values.texts(buckets, keys))
