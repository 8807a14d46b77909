"""Functions that give events their category or their tags, by rules."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from dayline.query.columns.dictionaries import compact, with_fields
from dayline.query.columns.distinct import used_codes
from dayline.query.columns.table import Table
from dayline.query.language.environment import Context
from dayline.query.language.values import Value
from dayline.query.patterns.rules import RuleSet
from dayline.storage.columns.source import MISSING, Codes, Column, Items

CATEGORY: Final = "$category"
TAGS: Final = "$tags"
UNCATEGORIZED: Final[list[Value]] = ["Uncategorized"]


def categorize(context: Context, events: Table, classes: list[Value]) -> Table:
    """The events with the category of the best matching rule in `$category`."""
    rules = RuleSet.of(classes)
    context.trace.fallbacks.extend(rules.fallbacks)
    events = compact(events)
    used = used_codes(events.value, len(events.data))
    winners = rules.winners(events.data.column, events.data.fields(), used)
    # A rule that does not win is -1: the last category.
    categories = [*(_category(pair) for pair in classes), UNCATEGORIZED]
    return _with_lists(events, CATEGORY, used, winners, categories)


def tag(context: Context, events: Table, classes: list[Value]) -> Table:
    """The events with the distinct tags of all matching rules in `$tags`, sorted."""
    rules = RuleSet.of_tags(classes)
    context.trace.fallbacks.extend(rules.fallbacks)
    events = compact(events)
    used = used_codes(events.value, len(events.data))
    tagged = rules.matches(events.data.column, events.data.fields(), used)
    return _with_lists(events, TAGS, used, tagged.codes, tagged.tags)


def _category(pair: Value) -> list[Value]:
    assert isinstance(pair, list), "the rules were checked"
    category = pair[0]
    assert isinstance(category, list), "the rules were checked"
    return category


def _with_lists(events: Table, field: str, used: Codes, chosen: Codes, lists: Sequence[Sequence[Value]]) -> Table:
    """The events with a field: for each used value the chosen one of some lists, which may be equal to each other."""
    numbers: dict[tuple[Value, ...], int] = {}
    number_of = np.array([numbers.setdefault(tuple(each), len(numbers)) for each in lists], dtype=np.int32)
    codes = np.full(len(events.data), MISSING, dtype=np.int32)
    codes[used] = number_of[chosen]
    items = Items.of_values([list(each) for each in numbers])
    return with_fields(events, {field: Column(codes, items)})
