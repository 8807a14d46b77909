"""The functions that choose, order, add up and join events, slow and obvious."""

import re
from typing import Any

from tests.query.reference.events import Event, by_start, same


def query_bucket(stored: list[Event], start: int, end: int) -> list[Event]:
    """6.1 and 3.7; every event stored has an id."""
    chosen = [event for event in stored if start <= end and event.start <= end and event.end >= start]
    newest_first = sorted(chosen, key=lambda event: (-event.start, event.id))
    return [event.from_to(max(event.start, start), min(event.end, end)) for event in newest_first]


def filter_keyvals(events: list[Event], key: str, values: list[Any]) -> list[Event]:
    """6.4"""
    return [event for event in events if key in event.data and any(same(event.data[key], value) for value in values)]


def exclude_keyvals(events: list[Event], key: str, values: list[Any]) -> list[Event]:
    """6.4"""
    return [event for event in events if not filter_keyvals([event], key, values)]


def filter_keyvals_regex(events: list[Event], key: str, pattern: str) -> list[Event]:
    """6.5"""
    return [event for event in events if isinstance(event.data.get(key), str) and re.search(pattern, event.data[key])]


def concat(one: list[Event], other: list[Event]) -> list[Event]:
    """6.9"""
    return one + other


def sort_by_timestamp(events: list[Event]) -> list[Event]:
    """6.10"""
    return by_start(events)


def sort_by_duration(events: list[Event]) -> list[Event]:
    """6.10"""
    return sorted(events, key=lambda event: -event.duration)


def limit_events(events: list[Event], count: float) -> list[Event]:
    """6.10"""
    return events[: max(int(count), 0)]


def sum_durations(events: list[Event]) -> float:
    """6.11"""
    return sum(event.duration for event in events) / 1_000_000


def merge_events_by_keys(events: list[Event], keys: list[str]) -> list[Event]:
    """6.12"""
    groups: list[Event] = []
    for event in events:
        if not keys or any(key not in event.data for key in keys):
            continue
        for place, group in enumerate(groups):
            if all(same(group.data[key], event.data[key]) for key in keys):
                groups[place] = group._replace(duration=group.duration + event.duration)
                break
        else:
            groups.append(event._replace(id=None))
    return groups


def chunk_events_by_key(events: list[Event], key: str) -> list[Event]:
    """6.13"""
    chunks: list[Event] = []
    for event in events:
        if key not in event.data:
            continue
        if chunks and same(chunks[-1].data[key], event.data[key]):
            chunks[-1] = chunks[-1]._replace(duration=chunks[-1].duration + event.duration)
        else:
            chunks.append(event)
    return chunks
