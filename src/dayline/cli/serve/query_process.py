"""A query process: python -m dayline.cli.serve.query_process CACHE_MIB MEMORY_MIB [shared|still DATABASE].

`still`: no other process has the DATABASE open. Without one, it is the PostgreSQL database that
DAYLINE_QUERY_DATABASE names. Each job says whose data it is about, and whether it may be read from the standby that
DAYLINE_QUERY_REPLICA names, if any.
"""

import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from dayline.model.access import BucketNames
from dayline.model.errors import DaylineError, Unavailable
from dayline.query.errors import QueryError
from dayline.query.language.engine import answer as answer_job
from dayline.query.patterns.limits import TIMER, PatternLimits, PatternTooSlow
from dayline.query.processes.command import DATABASE_VARIABLE, REPLICA_VARIABLE
from dayline.query.processes.failures import failure_of, out_of_memory, task_refusal
from dayline.query.processes.messages import JobOutcome, QueryJob, Statistics, Task, Work
from dayline.query.processes.worker import SourceView, confine, serve, without_rules
from dayline.storage.columns.cache import TenantColumns
from dayline.storage.columns.source import ColumnSource
from dayline.storage.opening import Location, open_columns

# Each task is a function of a request, of the type that it names, and a source. Imported on first use.
TASKS: Final[Mapping[str, str]] = {
    "check_patterns": "dayline.insight.categories.warnings:check_patterns",
    "explain_category": "dayline.insight.categories.explain:explain_category",
    "goals_progress": "dayline.insight.goals.progress:goals_progress",
    "now_categories": "dayline.insight.categories.classify:now_categories",
    "preview_categories": "dayline.insight.categories.preview:preview_categories",
    "search": "dayline.insight.search.search:search",
    "series": "dayline.insight.summary.series:series_of",
    "sessions": "dayline.insight.timeline.sessions:sessions_answer",
    "suggest_categories": "dayline.insight.categories.suggest:suggest_categories",
    "summary": "dayline.insight.summary.summary:summary_of",
    "timeline": "dayline.insight.timeline.task:timeline_answer",
    "timesheet": "dayline.insight.timesheet.timesheet:timesheet",
}


class Answers:
    """Runs jobs and tasks one at a time, and remembers each tenant's patterns that were too slow."""

    def __init__(self, limits: PatternLimits | None = None) -> None:
        self._limits = limits or PatternLimits()
        self._skipped: dict[str, frozenset[str]] = {}

    def answer(self, work: Work, source: ColumnSource) -> tuple[JobOutcome, list[bytes]]:
        """The outcome of a job or a task, and the chunks of its response.

        If a rule exceeds its time limit, the whole response is computed again without it. Skipping it for some titles
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
        body = _result(task, source)
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


def _result(task: Task, source: ColumnSource) -> bytes:
    """What the function of a task returns, as JSON, unless it is text already."""
    module, _, name = TASKS[task.name].partition(":")
    function: Callable[[Any, ColumnSource], object] = getattr(import_module(module), name)
    [request_type, *_] = function.__annotations__.values()
    result = function(msgspec.json.decode(task.request, type=request_type), source)
    return result if isinstance(result, bytes) else msgspec.json.encode(result)


def main(answers: Answers | None = None) -> None:
    """Serve queries until standard input ends."""
    cache_mib, memory_mib, *file = sys.argv[1:]  # no argparse, which takes a twentieth of the start
    confine(memory_mib=int(memory_mib))
    cache_bytes = int(cache_mib) << 20
    location: Location = Path(file[1]) if file else os.environ[DATABASE_VARIABLE]
    replica = os.environ.get(REPLICA_VARIABLE)
    opened = partial(open_columns, location, cache_bytes=cache_bytes, is_still="still" in file[:1], replica=replica)
    columns = TenantColumns(opened, cache_bytes=cache_bytes)
    try:
        serve(columns, (answers or Answers()).answer)
    finally:
        columns.close()


if __name__ == "__main__":
    main()
