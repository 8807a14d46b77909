"""Sessions: active time grouped so that a day reads as some twenty lines."""

import pytest

from dayline.insight.request import CommonRequest, Scope, parse_filter
from dayline.insight.timeline.model import ActivitySession, SessionsRequest
from dayline.insight.timeline.sessions import sessions_answer
from dayline.model.category import UNCATEGORIZED, Category, ClassicRule
from dayline.model.time import SECOND, parse_timestamp
from tests.support.query.tables import MemorySource, StoredEvent

NOON = parse_timestamp("2026-03-05T12:00:00Z")
MINUTE = 60 * SECOND
CATEGORIES = (
    Category(id=1, name=("Work", "Code"), rule=ClassicRule(regex="Code")),
    Category(id=2, name=("Mail",), rule=ClassicRule(regex="Thunderbird")),
)


def found(*parts: tuple[str, str, float], filters: tuple[str, ...] = (), min_s: int = 120) -> list[ActivitySession]:
    """The sessions of windows (app, title, minutes) one after the other from noon on; no app is a gap."""
    events: list[StoredEvent] = []
    start = NOON
    for number, (app, title, minutes) in enumerate(parts, 1):
        duration = int(minutes * MINUTE)
        if app:
            events.append((start, duration, {"app": app, "title": title}, number))
        start += duration
    source = MemorySource({"window": events}, {"window": "laptop"}, {"window": "currentwindow"})
    common = CommonRequest(
        scope=Scope(now=start, categories=CATEGORIES),
        start=NOON - 60 * MINUTE,
        end=start + 60 * MINUTE,
        filters=tuple(parse_filter(text) for text in filters),
    )
    return sessions_answer(SessionsRequest(common=common, min_s=min_s), source).sessions


def times(sessions: list[ActivitySession]) -> list[tuple[str | None, str, str]]:
    return [(session.app, session.start[11:16], session.end[11:16]) for session in sessions]


def test_a_session_has_the_app_the_title_and_the_category_with_most_time() -> None:
    [session] = found(("Code", "a.py", 3), ("Code", "b.py", 5), ("Code", "a.py", 1))

    assert (session.app, session.title, session.category) == ("Code", "b.py", ("Work", "Code"))
    assert (session.device, session.active) == ("laptop", 540)


def test_an_interruption_of_less_than_two_minutes_is_part_of_a_session() -> None:
    sessions = found(("Code", "a.py", 5), ("Thunderbird", "Inbox", 1.5), ("Code", "a.py", 5))

    assert times(sessions) == [("Code", "12:00", "12:11")]


def test_two_minutes_of_something_else_are_a_session_of_their_own() -> None:
    sessions = found(("Code", "a.py", 5), ("Thunderbird", "Inbox", 2), ("Code", "a.py", 5))

    assert times(sessions) == [
        ("Code", "12:00", "12:05"), ("Thunderbird", "12:05", "12:07"), ("Code", "12:07", "12:12"),
    ]  # fmt: skip


def test_a_gap_of_two_minutes_ends_a_session() -> None:
    sessions = found(("Code", "a.py", 5), ("", "", 2), ("Code", "a.py", 5))

    assert times(sessions) == [("Code", "12:00", "12:05"), ("Code", "12:07", "12:12")]


def test_what_lasts_less_than_two_minutes_is_left_out() -> None:
    parts = ("Code", "a.py", 5), ("", "", 10), ("Thunderbird", "Inbox", 1.9)

    assert times(found(*parts)) == [("Code", "12:00", "12:05")]
    assert len(found(*parts, min_s=60)) == 2


def test_many_short_changes_become_one_session_of_what_takes_most_of_it() -> None:
    changes = [("Chat", "a", 0.5), ("Maps", "b", 0.7), ("Chat", "c", 0.5), ("Notes", "d", 0.4)]

    sessions = found(("Code", "a.py", 5), *changes)

    assert times(sessions) == [("Code", "12:00", "12:05"), ("Chat", "12:05", "12:07")]


def test_time_that_no_rule_matches_is_grouped_by_app() -> None:
    sessions = found(("Maps", "a", 4), ("Notes", "b", 4))

    assert [(session.app, session.category) for session in sessions] == [
        ("Maps", UNCATEGORIZED), ("Notes", UNCATEGORIZED),
    ]  # fmt: skip


def test_a_filter_leaves_out_other_sessions() -> None:
    sessions = found(("Code", "a.py", 5), ("Thunderbird", "Inbox", 5), filters=("category:is:Mail",))

    assert times(sessions) == [("Thunderbird", "12:05", "12:10")]


@pytest.mark.parametrize("parts", [(), (("", "", 10.0),)])
def test_a_range_without_activity_has_no_session(parts: tuple[tuple[str, str, float], ...]) -> None:
    assert found(*parts) == []


def test_a_session_without_a_category_is_named_by_the_app_with_the_most_time_in_it() -> None:
    # Apps alternated, and the session had the name of the one that began it.
    parts = [
        ("Files", "~", 2.1),
        *((app, app.lower(), minutes) for _ in range(4) for app, minutes in (("Chat", 1.8), ("Files", 0.5))),
    ]
    [session] = found(*parts)

    assert (session.category, session.app, session.title) == (UNCATEGORIZED, "Chat", "chat")
