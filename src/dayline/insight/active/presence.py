"""When the user was present: not AFK, or with an active window that counts without input."""

from functools import partial
from typing import Final

import numpy as np

from dayline.insight.active.bucket_values import BucketValues
from dayline.insight.active.intervals import Spans, no_spans, union
from dayline.insight.active.layers import CutLayers, DeviceBuckets, LayerValues, read_layer
from dayline.insight.categories.classify import Classifier
from dayline.insight.request import Scope
from dayline.model.time import Microseconds
from dayline.query.columns.distinct import distinct, lookup
from dayline.query.patterns.limits import TIMER, SkippedRule
from dayline.query.patterns.matching import NONE_FOUND, Matcher, expression
from dayline.query.patterns.python import PatternError
from dayline.storage.columns.source import MISSING, Codes, Column, ColumnSource, Flags

NOT_AWAY: Final = b"not-afk"
IS_AWAY: Final = b"afk"
_AUDIBLE: Final = b"true"


def read_presence(
    source: ColumnSource, device: DeviceBuckets, start: Microseconds, end: Microseconds
) -> tuple[Spans | None, Spans]:
    """When the user was present (None: always, because there is no AFK watcher), and when AFK. Not clipped."""
    if not device.away:
        return None, no_spans()
    there: list[Spans] = []
    away: list[Spans] = []
    for bucket in device.away:
        layer = read_layer(source, [bucket], start, end)
        status = layer.values.strings("status", layer.value)
        there.append(layer.spans.take(_has(status, NOT_AWAY)))
        away.append(layer.spans.take(_has(status, IS_AWAY)))
    return union(there), union(away)


def counts_anyway(scope: Scope, device: DeviceBuckets, active: CutLayers, values: LayerValues) -> Flags:
    """Which windows count even if the user is AFK: on phones, with sound, or by the settings."""
    owners = values.window.owners(active.window)
    flags = np.array(device.is_phone, dtype=np.bool_)[owners]
    flags |= _is_audible(values.tab, active.tab)
    if scope.always_active:
        flags |= _has_pattern(values.window, active.window, scope.always_active)
    classifier = Classifier.of(scope.categories)
    if classifier.has_always_active:
        flags |= classifier.is_always_active(places(classifier, values, active.window, active.tab, active.file))
    return flags


def places(classifier: Classifier, values: LayerValues, window: Codes, tab: Codes, file: Codes) -> Codes:
    """The position of the winning rule for each combination of window, tab and file."""
    result = np.zeros(len(window), dtype=np.int32)
    for of_layer, codes, is_base in (
        (values.window, window, True),
        (values.tab, tab, False),
        (values.file, file, False),
    ):
        np.maximum(result, of_layer.numbers(partial(classifier.places, is_base=is_base), codes), out=result)
    return result


def _has(column: Column, text: bytes) -> Flags:
    """Which values have exactly this text."""
    return lookup(np.array([raw == text for raw in column.items.raws()], dtype=np.bool_), column.codes, False)


def _is_audible(values: BucketValues, codes: Codes) -> Flags:
    """Which tabs play sound."""
    audible = values.column(lambda data, which: data.column("audible").take(which), codes)
    wanted = np.zeros(len(audible.items), dtype=np.bool_)
    others = np.flatnonzero(~audible.items.is_string)
    wanted[[number for number in others.tolist() if audible.items.raw(number) == _AUDIBLE]] = True
    return lookup(wanted, audible.codes, False)


def _has_pattern(values: BucketValues, codes: Codes, pattern: str) -> Flags:
    """Which windows have an app or title that matches the pattern."""
    flags = np.zeros(len(codes), dtype=np.bool_)
    if pattern in TIMER.skipped:
        TIMER.note([SkippedRule(label=("always_active_pattern",), pattern=pattern)])
        return flags
    try:
        matcher = Matcher([expression(pattern)])
    except PatternError:
        return flags  # an invalid pattern in a setting of another program, which does not check it
    for field in ("app", "title"):
        column = values.strings(field, codes)
        used = distinct(column.codes[column.codes != MISSING])
        matches = np.zeros(len(column.items), dtype=np.bool_)
        matches[used] = matcher.answers(column.items, used)[used] != NONE_FOUND
        flags |= lookup(matches, column.codes, False)
    return flags
