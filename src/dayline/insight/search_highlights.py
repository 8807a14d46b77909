"""Which pieces of the strings of a data object a search has found. No numpy."""

from collections.abc import Sequence
from typing import cast

from dayline.insight.search_answer import Highlight
from dayline.transform.text_query import Clause, host_of
from dayline.transform.word_places import placed_words, ranges_of
from dayline.transform.words import fold


def highlights_of(data: dict[str, object], clauses: Sequence[Clause]) -> list[Highlight]:
    """The pieces of all strings that the clauses have found."""
    found: list[Highlight] = []
    rest: list[tuple[list[str | int], object]] = [([], data)]
    while rest:
        path, value = rest.pop()
        if isinstance(value, dict):
            members = cast(dict[str, object], value).items()
            rest.extend(reversed([([*path, key], item) for key, item in members]))
        elif isinstance(value, list):
            rest.extend(reversed([([*path, number], item) for number, item in enumerate(cast(list[object], value))]))
        elif isinstance(value, str):
            field = path[0] if len(path) == 1 and path[0] in ("app", "title", "url") else "rest"
            ranges = _ranges([clause for clause in clauses if clause.field in (None, field)], value)
            if field == "url":
                ranges += _in_host(value, [clause for clause in clauses if clause.field == "domain"])
            if ranges:
                found.append(Highlight(path=path, ranges=[[low, high] for low, high in sorted(set(ranges))]))
    return found


def _ranges(clauses: Sequence[Clause], text: str) -> list[tuple[int, int]]:
    # To find out where words stand takes longer than to see that none of them does.
    folded = fold(text)
    there = [clause for clause in clauses if all(word in folded for word in clause.words)]
    return ranges_of(there, placed_words(text)) if there else []


def _in_host(url: str, clauses: Sequence[Clause]) -> list[tuple[int, int]]:
    host = host_of(url)
    place = url.find(host)
    return [(place + low, place + high) for low, high in _ranges(clauses, host)]
