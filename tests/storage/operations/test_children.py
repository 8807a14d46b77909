"""A function in a child process: what is left of it when its call is cancelled."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest
import uvloop

from dayline.storage.operations.children import ChildFunction
from tests.support.waiting import eventually_async

HERE = "tests.storage.operations.test_children"


def leave_behind(pids: Path) -> None:
    """Ends at once, and leaves a process that holds our standard output open."""
    with subprocess.Popen(["sleep", "600"]) as process:
        pids.with_suffix(".new").write_text(f"{os.getpid()} {process.pid}")
        pids.with_suffix(".new").rename(pids)
        os._exit(0)


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or only its parent has not asked for its status."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return True


def test_a_call_whose_process_has_ended_can_be_cancelled(tmp_path: Path) -> None:
    # Whoever cancelled it got a ProcessLookupError.
    pids = tmp_path / "pids"

    async def test() -> None:
        call = asyncio.create_task(ChildFunction(f"{HERE}:leave_behind", type(None))(pids))
        await eventually_async(pids.exists)
        child, left = map(int, pids.read_text().split())
        try:
            await eventually_async(lambda: has_ended(child))
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        finally:
            os.kill(left, signal.SIGKILL)
            await eventually_async(lambda: has_ended(left))
            for _ in range(5):  # the event loop closes its ends of the pipes
                await asyncio.sleep(0)

    uvloop.run(test())
