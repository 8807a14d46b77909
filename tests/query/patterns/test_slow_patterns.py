"""A regular expression that backtracks without end is stopped, named and left out; the response is given without it."""

from typing import Any, Final

import msgspec
import pytest

from dayline.cli.serve.query_process import Answers
from dayline.insight.categories.tasks import CheckPatternsTask, PatternToCheck, SlowPattern
from dayline.insight.request import CommonRequest, Scope
from dayline.insight.summary.model import SummaryRequest
from dayline.model.category import Category, ClassicRule
from dayline.model.time import SECOND, Period, parse_timestamp
from dayline.query.patterns.limits import PatternLimits, SkippedRule
from dayline.query.processes.messages import JobOutcome, QueryJob, Task
from tests.support.query.tables import MemorySource

NOON: Final = parse_timestamp("2026-03-05T12:00:00Z")
HOUR: Final = 3600 * SECOND
RUNAWAY: Final = "(?=(a+)+$)x"
TITLE: Final = "a" * 60 + "!"  # 2 ** 60 ways to try
WINDOWS: Final = "aw-watcher-window"
AWAY: Final = "aw-watcher-afk"
QUICK: Final = PatternLimits(text_s=0.05, answer_s=0.2)  # of processor time, which no other process can use up
CATEGORIES: Final = (
    Category(id=1, name=("Work",), rule=ClassicRule(regex="Code")),
    Category(id=2, name=("Runaway",), rule=ClassicRule(regex=RUNAWAY)),
)
SKIPPED: Final = [SkippedRule(label=("Runaway",), pattern=RUNAWAY)]


def source_of(*titles: str) -> MemorySource:
    events = [
        (NOON + number * HOUR, HOUR, {"app": "Code" if title == "Code" else "", "title": title}, number + 1)
        for number, title in enumerate(titles)
    ]
    return MemorySource({WINDOWS: events}, {WINDOWS: "laptop"}, {WINDOWS: "currentwindow"})


def summary_task(categories: tuple[Category, ...], *, tenant: str = "", always_active: str = "") -> Task:
    scope = Scope(now=NOON + 24 * HOUR, categories=categories, always_active=always_active)
    common = CommonRequest(scope=scope, start=NOON, end=NOON + 12 * HOUR)
    request = SummaryRequest(common=common, by=("category",))
    return Task(name="summary", request=msgspec.json.encode(request), tenant=tenant)


def seconds_by_category(body: list[bytes]) -> dict[str, float]:
    found: dict[str, Any] = msgspec.json.decode(b"".join(body))
    return {" > ".join(each["key"]): each["seconds"] for each in found["lists"]["category"]}


def query_job(*lines: str) -> QueryJob:
    return QueryJob(text="\n".join(lines), periods=[Period(NOON, NOON + 12 * HOUR)])


def test_a_summary_is_answered_without_the_rule_that_takes_too_long() -> None:
    outcome, body = Answers(QUICK).answer(summary_task(CATEGORIES), source_of("Code", TITLE))

    assert seconds_by_category(body) == {"Work": 3600, "Uncategorized": 3600}
    assert outcome.skipped_rules == SKIPPED


def test_a_rule_that_was_too_slow_is_skipped_for_all_titles_of_the_answer() -> None:
    # It matches the first title, and is stopped at the second.
    pattern = "Code|(?=(a+)+$)x"
    categories = (Category(id=1, name=("Both",), rule=ClassicRule(regex=pattern)),)

    _, body = Answers(QUICK).answer(summary_task(categories), source_of("Code", TITLE))

    assert seconds_by_category(body) == {"Uncategorized": 7200}


def test_later_answers_skip_the_rule_at_once_and_report_it_again() -> None:
    answers, source = Answers(QUICK), source_of("Code", TITLE)
    answers.answer(summary_task(CATEGORIES), source)
    # A limit that is used up by nothing: a second search would never end.
    answers._limits = PatternLimits(text_s=1e9, answer_s=1e9)  # pyright: ignore[reportPrivateUsage]

    outcome, body = answers.answer(summary_task(CATEGORIES), source)

    assert seconds_by_category(body) == {"Work": 3600, "Uncategorized": 3600}
    assert outcome.skipped_rules == SKIPPED


def test_what_was_cached_with_the_rule_is_not_used_without_it() -> None:
    answers, source = Answers(QUICK), source_of("Code", "aaax")
    categories = (Category(id=1, name=("Mixed",), rule=ClassicRule(regex="(?=(a+)+x$)a|Code|(?=(b+)+$)x")),)
    _, before = answers.answer(summary_task(categories), source)
    answers.answer(summary_task(categories), source_of("b" * 60 + "!"))

    _, after = answers.answer(summary_task(categories), source)

    assert (seconds_by_category(before), seconds_by_category(after)) == ({"Mixed": 7200}, {"Uncategorized": 7200})


def test_a_rule_that_is_too_slow_for_one_tenant_stays_in_force_for_others() -> None:
    answers = Answers(QUICK)
    answers.answer(summary_task(CATEGORIES, tenant="anna"), source_of(TITLE))

    outcome, _ = answers.answer(summary_task(CATEGORIES, tenant="ben"), source_of("Code"))

    assert outcome.skipped_rules == []


def test_a_rule_that_is_slow_for_many_titles_is_stopped_as_well() -> None:
    # Each title takes a moment, all of them together would take hours.
    titles = [f"{'a' * 18}! {number}" for number in range(20_000)]
    limits = PatternLimits(text_s=1e9, answer_s=0.2)

    outcome, _ = Answers(limits).answer(summary_task((CATEGORIES[1],)), source_of(*titles))

    assert outcome.skipped_rules == SKIPPED


def test_the_setting_for_active_apps_is_skipped_if_it_takes_too_long() -> None:
    buckets = {WINDOWS: [(NOON, HOUR, {"title": TITLE}, 1)], AWAY: [(NOON, HOUR // 2, {"status": "not-afk"}, 2)]}
    source = MemorySource(buckets, dict.fromkeys(buckets, "laptop"), {WINDOWS: "currentwindow", AWAY: "afkstatus"})

    outcome, body = Answers(QUICK).answer(summary_task((), always_active=RUNAWAY), source)

    assert seconds_by_category(body) == {"Uncategorized": 1800}
    assert outcome.skipped_rules == [SkippedRule(label=("always_active_pattern",), pattern=RUNAWAY)]


@pytest.mark.parametrize(("function", "label"), [("categorize", '["Runaway"]'), ("tag", '"Runaway"')])
def test_a_query_that_categorizes_is_answered_without_the_rule(function: str, label: str) -> None:
    job = query_job(
        f'events = query_bucket("{WINDOWS}");',
        f'RETURN = {function}(events, [[{label}, {{"type": "regex", "regex": "{RUNAWAY}"}}]]);',
    )

    outcome, [body, *_] = Answers(QUICK).answer(job, source_of(TITLE))

    assert outcome.failure is msgspec.UNSET
    assert outcome.skipped_rules == SKIPPED
    assert TITLE.encode() in body


def test_a_query_that_filters_by_the_pattern_fails_and_names_it() -> None:
    job = query_job(f'RETURN = filter_keyvals_regex(query_bucket("{WINDOWS}"), "title", "{RUNAWAY}");')

    outcome, _ = Answers(QUICK).answer(job, source_of(TITLE))

    assert f"the regular expression '{RUNAWAY}' takes too long" in failure_message(outcome)


def test_patterns_to_be_saved_are_checked_with_the_recorded_titles() -> None:
    patterns = ("Code", r"\bCode\b", RUNAWAY)
    task = CheckPatternsTask(
        patterns=tuple(PatternToCheck(text=text, ignore_case=False) for text in patterns), start=0, end=NOON + 24 * HOUR
    )
    work = Task(name="check_patterns", request=msgspec.json.encode(task))

    _, harmless = Answers(QUICK).answer(work, source_of("Code"))
    _, slow = Answers(QUICK).answer(work, source_of("Code", TITLE))

    assert harmless == [b"[]"]
    assert msgspec.json.decode(slow[0], type=list[SlowPattern]) == [SlowPattern(number=2, text=TITLE)]


def failure_message(outcome: JobOutcome) -> str:
    assert outcome.failure is not msgspec.UNSET
    return outcome.failure.message
