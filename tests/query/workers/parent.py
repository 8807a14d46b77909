"""A process with queries under way, to be killed: python -m tests.query.workers.parent ORDER ..."""

import asyncio
import sys

from tests.query.workers.scripted import ask, workers


async def main() -> None:
    async with workers(workers=2) as pool:
        await asyncio.gather(*(ask(pool, order, seconds=60) for order in sys.argv[1:]))
        sys.stdout.write("answered\n")
        sys.stdout.flush()
        await asyncio.sleep(60)


if __name__ == "__main__":
    asyncio.run(main())
