"""Gathers what is wrong from all that looks after the data."""

from collections.abc import Callable, Iterable, Sequence

from dayline.care.backup_keeper import BackupKeeper
from dayline.model.health import HealthView, Problem
from dayline.model.timestamps import format_timestamp
from dayline.runtime.background import BackgroundWorkers

ProblemSource = Callable[[], Iterable[Problem]]


class Health:
    """The state of the server. Each source is asked anew, so that what is mended is forgotten at once."""

    def __init__(self, sources: Sequence[ProblemSource], background: BackgroundWorkers) -> None:
        self._sources = tuple(sources)
        self._background = background

    def add(self, source: ProblemSource) -> None:
        """Ask one more source from now on."""
        self._sources = (*self._sources, source)

    def view(self, tenant: str = "") -> HealthView:
        """What is wrong now, as one tenant may see it. Reads from memory and from small files: call it on a thread."""
        problems = [problem for source in self._sources for problem in source()]
        problems += self._background.problems(problems, tenant)
        return HealthView(
            status="degraded" if problems else "ok", problems=problems, background=self._background.states(tenant)
        )


def backup_problems(keeper: BackupKeeper) -> list[Problem]:
    """Whether the last backup came to nothing."""
    failure = keeper.last_failure()
    if failure is None:
        return []
    return [
        Problem(
            kind="backup",
            message=f"the last backup came to nothing: {failure.message}",
            hint="dayline backup now tries again; dayline backup list shows what there is",
            since=format_timestamp(failure.when),
        )
    ]
