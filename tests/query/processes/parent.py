"""A process with queries under way, to be killed: python -m tests.query.processes.parent ORDER ..."""

import asyncio
import sys

from tests.support.query.scripted import ask, started, workers
from tests.support.waiting import PATIENCE_S


async def main() -> None:
    async with workers(workers=2) as pool:
        asking = [await started(ask(pool, order)) for order in sys.argv[1:]]
        await pool.until_begun(*sys.argv[1:])
        print("begun", flush=True)  # noqa: T201  the test reads it
        await asyncio.gather(*asking)
        print("answered", flush=True)  # noqa: T201  the test reads it
        await asyncio.sleep(PATIENCE_S)


if __name__ == "__main__":
    asyncio.run(main())
