"""Runs the jobs of a query process: programs, and insight tasks. Only query processes import this."""

from collections.abc import Callable, Mapping
from importlib import import_module
from time import perf_counter
from typing import Final

from msgspec.structs import replace

from dayline.model.access import BucketNames
from dayline.model.errors import DaylineError, Unavailable
from dayline.query.errors import QueryError
from dayline.query.language.engine import answer as answer_job
from dayline.query.patterns.slow import TIMER, PatternLimits, PatternTooSlow
from dayline.query.processes.job import JobOutcome, QueryJob, Statistics, Task, Work
from dayline.query.processes.messages import failure_of, out_of_memory, task_refusal
from dayline.query.processes.worker import SourceView, without_rules
from dayline.storage.columns.source import ColumnSource

Perform = Callable[[bytes, ColumnSource], bytes]

# Each task is the function of that name in its module: JSON in, JSON out. Imported on first use.
TASKS: Final[Mapping[str, str]] = {
    "check_patterns": "dayline.insight.categories.warnings",
    "explain_category": "dayline.insight.categories.explain",
    "goals_progress": "dayline.insight.goals.progress",
    "now_categories": "dayline.insight.categories.classify",
    "preview_categories": "dayline.insight.categories.preview",
    "search": "dayline.insight.search.search",
    "series": "dayline.insight.summary.series",
    "sessions": "dayline.insight.timeline.sessions",
    "suggest_categories": "dayline.insight.categories.suggest",
    "summary": "dayline.insight.summary.summary",
    "timeline": "dayline.insight.timeline.task",
    "timesheet": "dayline.insight.timesheet.timesheet",
}


class Answers:
    """Runs jobs and tasks one at a time, and remembers each tenant's patterns that were too slow."""

    def __init__(self, limits: PatternLimits | None = None) -> None:
        self._limits = limits or PatternLimits()
        self._skipped: dict[str, frozenset[str]] = {}

    def answer(self, work: Work, source: ColumnSource) -> tuple[JobOutcome, list[bytes]]:
        """The outcome of a job or a task, and the chunks of its answer.

        If a rule exceeds its time limit, the whole answer is computed again without it. Skipping it for some titles
        only would give inconsistent numbers.
        """
        while True:
            skipped = self._skipped.get(work.tenant, frozenset())
            try:
                with TIMER.limiting(self._limits, skipped=skipped):
                    outcome, body = _answer(work, without_rules(source, skipped))
            except PatternTooSlow as error:
                self._skipped[work.tenant] = skipped | {error.pattern}
            else:
                return replace(outcome, skipped_rules=TIMER.noted), body


def _answer(work: Work, source: ColumnSource) -> tuple[JobOutcome, list[bytes]]:
    return answer_job(work, source) if isinstance(work, QueryJob) else _perform(work, source)


def _perform(task: Task, source: ColumnSource) -> tuple[JobOutcome, list[bytes]]:
    start = perf_counter()
    if task.buckets:
        source = SourceView(source, BucketNames(task.buckets))
    try:
        body = _function(task.name)(task.request, source)
        return JobOutcome(statistics=Statistics(seconds=perf_counter() - start, result_bytes=len(body))), [body]
    except QueryError as error:
        return JobOutcome(failure=failure_of(error)), []
    except MemoryError:
        return JobOutcome(failure=out_of_memory()), []
    except Unavailable:
        raise  # the store cannot be read, which is not an error of the task
    except DaylineError as error:
        refusal = task_refusal(error)
        if refusal is None:
            raise
        return JobOutcome(refusal=refusal), []


def _function(name: str) -> Perform:
    function: Perform = getattr(import_module(TASKS[name]), name)
    return function
