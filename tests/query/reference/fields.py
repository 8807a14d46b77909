"""The functions that add fields to events, slow and obvious."""

import re
from typing import Any

from dayline.query.urls import split_url
from tests.query.reference.events import Event

Classes = list[Any]  # pairs of a category or tag and a rule


def categorize(events: list[Event], classes: Classes) -> list[Event]:
    """6.16"""
    return [_with(event, {"$category": _category(event, classes)}) for event in events]


def tag(events: list[Event], classes: Classes) -> list[Event]:
    """6.16"""
    return [_with(event, {"$tags": _tags(event, classes)}) for event in events]


def split_url_events(events: list[Event]) -> list[Event]:
    """6.15; how a URL is parted is tested elsewhere."""
    result: list[Event] = []
    for event in events:
        url = event.data.get("url")
        parts = split_url(url.encode()) if isinstance(url, str) else None
        fields = (
            {}
            if parts is None
            else {
                "$protocol": parts.protocol.decode(),
                "$domain": parts.domain.decode(),
                "$path": parts.path.decode(),
                "$params": parts.params.decode(),
                "$options": parts.options.decode(),
                "$identifier": parts.identifier.decode(),
            }
        )
        result.append(_with(event, fields))
    return result


def simplify_window_titles(events: list[Event], key: str) -> list[Event]:
    """6.17"""
    result: list[Event] = []
    for event in events:
        text = event.data.get(key)
        if isinstance(text, str):
            text = re.sub(r"^\([0-9]+\)\s*", "", text)
            if key == "title" and "app" in event.data:
                text = re.sub(r"FPS:\s+[0-9.]+", "FPS: ...", text)
                text = re.sub(r"^[●*]\s*", "", text)
            event = _with(event, {key: text})
        result.append(event)
    return result


def _with(event: Event, fields: dict[str, Any]) -> Event:
    return event._replace(data={**event.data, **fields})


def _category(event: Event, classes: Classes) -> list[str]:
    best_rank, best = None, ["Uncategorized"]
    for category, rule in classes:
        if not category or not _matches(event, rule):
            continue
        rank = rule.get("priority", 10 * len(category))
        if best_rank is None or rank >= best_rank:
            best_rank, best = rank, category
    return best


def _tags(event: Event, classes: Classes) -> list[str]:
    return sorted({label for label, rule in classes if _matches(event, rule)})


def _matches(event: Event, rule: dict[str, Any]) -> bool:
    if rule["type"] == "none" or rule["regex"] == "":
        return False
    flags = re.IGNORECASE if rule.get("ignore_case", False) else re.NOFLAG
    for key in rule.get("select_keys", list(event.data)):
        text = event.data.get(key)
        if isinstance(text, str) and re.search(rule["regex"], text, flags):
            return True
    return False
