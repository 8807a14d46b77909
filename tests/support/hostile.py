"""Texts made to keep a parser busy, and a limit that only a parser that runs away exceeds."""

import signal
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

import pytest

_SIZE: Final = 1 << 20
# Seconds of CPU time, whatever else the machine does. Linear work takes a hundredth of it, quadratic work hours.
_LIMIT_S: Final = 30.0

PIECES: Final = (
    '"', "'", "\\", '\\"', "\\'", '"\\', "[", '["', "{", '{"a":', '"},', ".", "a.", "#\n", "/", " ",
)  # fmt: skip
TEXTS: Final = {repr(piece): piece * (_SIZE // len(piece)) for piece in PIECES}

hostile_texts = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


@contextmanager
def linear_time() -> Generator[None]:
    """Fail, by interrupting it, if the block needs more CPU time than any linear work."""
    before = signal.signal(signal.SIGVTALRM, _fail)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LIMIT_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _fail(_number: int, _frame: FrameType | None) -> NoReturn:
    pytest.fail(f"it needed more than {_LIMIT_S:.0f} s of CPU time")
