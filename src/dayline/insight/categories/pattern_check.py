"""Whether new patterns are too slow for what was recorded. Only query processes import this."""

from collections.abc import Iterator

import msgspec
import numpy as np

from dayline.insight.categories.classify import column_of, fields_of
from dayline.insight.categories.model import CheckPatternsTask, PatternToCheck, SlowPattern
from dayline.insight.now.buckets import layer_of
from dayline.query.patterns.expressions import expression
from dayline.query.patterns.matching import Matcher
from dayline.query.patterns.slow import TIMER, PatternTooSlow
from dayline.storage.columns.source import ColumnSource, Items, ReadReport


def check_patterns(request: bytes, source: ColumnSource) -> bytes:
    """The task: JSON in, JSON out."""
    task = msgspec.json.decode(request, type=CheckPatternsTask)
    doubtful = [(number, pattern) for number, pattern in enumerate(task.patterns) if _may_backtrack(pattern)]
    searched = list(_searched(task, source)) if doubtful else []
    found = [_slow(number, pattern, searched) for number, pattern in doubtful]
    return msgspec.json.encode([each for each in found if each is not None])


def _may_backtrack(pattern: PatternToCheck) -> bool:
    """Whether some texts are searched by `re`. RE2 takes time in proportion to the text."""
    translation = expression(pattern.text, ignore_case=pattern.ignore_case).translation
    return translation is None or not translation.is_exact


def _searched(task: CheckPatternsTask, source: ColumnSource) -> Iterator[Items]:
    """The items of every field that rules look at."""
    for bucket in source.buckets():
        if layer_of(bucket.type) is not None:
            data = source.events(bucket.id, task.start, task.end, ReadReport()).dictionary
            yield from (column_of(data, field).items for field in fields_of(data))


def _slow(number: int, pattern: PatternToCheck, searched: list[Items]) -> SlowPattern | None:
    if pattern.text in TIMER.skipped:
        return SlowPattern(number=number, text="")
    matcher = Matcher([expression(pattern.text, ignore_case=pattern.ignore_case)])
    try:
        for items in searched:
            matcher.answers(items, np.arange(len(items), dtype=np.int32))
    except PatternTooSlow as error:
        return SlowPattern(number=number, text=error.text)
    return None
