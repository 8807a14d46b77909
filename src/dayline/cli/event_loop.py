"""The event loop of commands that go on until they are stopped."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any

from dayline.cli.standard_streams import drop_unwritable


def run_on_loop(main: Coroutine[Any, Any, None]) -> None:
    """Run it to its end, on the quickest loop that the system has."""
    try:
        if sys.platform == "win32":
            asyncio.run(main)
        else:
            import uvloop  # here, because the other commands start quicker without it

            uvloop.run(main)
    finally:
        drop_unwritable(sys.stdout)
