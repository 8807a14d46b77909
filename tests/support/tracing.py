"""The lines of Python that run in a block."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def before_each_line(do: Callable[[], object], *, of: Callable[[str], bool]) -> Generator[None]:
    """Call `do` before each line that runs in this thread, in functions of files that are chosen by their path."""

    def run(_frame: FrameType, kind: str, _value: object) -> Any:
        if kind == "line":
            do()
        return run

    def enter(frame: FrameType, _kind: str, _value: object) -> Any:
        return run if of(frame.f_code.co_filename) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)
