"""How many query processes there are, and what each query may take."""

import os
from typing import Annotated, Final

from msgspec import Meta, Struct

_FEW_CORES: Final = 4
_MOST_WORKERS: Final = 4


class QuerySettings(Struct, frozen=True, kw_only=True):
    """Limits of queries and of the processes that run them."""

    workers: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(
            description="processes that run queries side by side; one more answers quick callers while all are busy",
            extra={"default": f"2 on up to {_FEW_CORES} cores, else half of them, at most {_MOST_WORKERS}"},
        ),
    ] = None
    seconds: Annotated[float, Meta(gt=0, description="seconds that a query may take unless it asks for others")] = 60.0
    most_seconds: Annotated[float, Meta(gt=0, description="seconds that a query may ask for")] = 600.0
    memory_mib: Annotated[int, Meta(ge=256, description="MiB of memory that a process may take")] = 1536
    cache_mib: Annotated[int, Meta(ge=0, description="MiB of it for what was read before")] = 256
    result_mib: Annotated[int, Meta(ge=1, description="MiB that the answer to a query may have")] = 256
    idle_s: Annotated[float, Meta(gt=0, description="seconds without a query after which a process ends")] = 30.0
    waiting: Annotated[
        int,
        Meta(
            ge=1,
            description="queries that may wait for a process; half of them of one client, and an eighth of a key that "
            "is for some buckets",
        ),
    ] = 200

    @property
    def processes(self) -> int:
        """How many processes there may be."""
        if self.workers is not None:
            return self.workers
        cores = os.cpu_count() or 1
        return 2 if cores <= _FEW_CORES else min(cores // 2, _MOST_WORKERS)
