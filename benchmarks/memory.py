"""How much memory a process and its children hold, from /proc."""

import threading
from pathlib import Path
from typing import NamedTuple, Self

from benchmarks.table import NotMeasured

MIB = 1024 * 1024
SAMPLE_S = 0.05


class Memory(NamedTuple):
    """Bytes in memory: `rss` counts a shared page for each process, `pss` shares it out."""

    rss: int
    pss: int


class PeakMemory:
    """Watches a tree of processes for the length of a block; `rss` is the most that its members held together."""

    def __init__(self, pid: int) -> None:
        self.rss = 0
        self._pid = pid
        self._is_over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        if not Path("/proc/self/smaps_rollup").exists():
            raise NotMeasured("memory is read from /proc")
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._watcher.join()

    def _watch(self) -> None:
        while True:
            self.rss = max(self.rss, sum(_kib(pid, "status", "VmRSS") for pid in process_tree(self._pid)) * 1024)
            if self._is_over.wait(SAMPLE_S):
                return


def memory_of(pid: int) -> Memory:
    """What the process and its children hold now."""
    if not Path("/proc/self/smaps_rollup").exists():
        raise NotMeasured("memory is read from /proc")
    pids = process_tree(pid)
    rss, pss = (sum(_kib(one, "smaps_rollup", name) for one in pids) * 1024 for name in ("Rss", "Pss"))
    return Memory(rss=rss, pss=pss)


def process_tree(pid: int) -> list[int]:
    """The process and all that descend from it; those that end while it looks are left out."""
    pids = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            pids += process_tree(int(child))
    return pids


def _kib(pid: int, file: str, name: str) -> int:
    """The figure of that name in one of the process's files, 0 if it has ended."""
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
