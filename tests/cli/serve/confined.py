"""Runs a program on a machine that lacks something: `python -m tests.cli.serve.confined no-locks -- program …`.

A filter of system calls (seccomp) lets the calls fail as they do there. It needs no rights, and holds for the program
and all that it starts. Linux on x86-64 and 64-bit ARM.
"""

import ctypes
import errno
import os
import platform
import socket
import struct
import sys
from typing import Final, NamedTuple

_NUMBERS: Final = {  # of the system calls, by machine
    "x86_64": {"socket": 41, "flock": 73},
    "aarch64": {"socket": 198, "flock": 32},
}


class _Lack(NamedTuple):
    """A call that fails, and with what. `first` is the value of its first argument for which it does."""

    call: str
    error: int
    first: int | None = None


LACKS: Final = {
    "no-locks": _Lack("flock", errno.ENOLCK),  # as on a network drive whose server has no lock service
    "no-ipv6": _Lack("socket", errno.EAFNOSUPPORT, first=socket.AF_INET6),  # as with ipv6.disable=1
}

# Instructions of the filter (linux/filter.h, linux/seccomp.h).
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER_OFFSET, _FIRST_OFFSET = 0, 16
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000
_NO_NEW_PRIVILEGES, _SECCOMP, _SECCOMP_FILTER = 38, 22, 2


def can_confine() -> bool:
    """Whether this machine can run such a program."""
    return sys.platform == "linux" and platform.machine() in _NUMBERS


def confined(lack: str) -> list[str]:
    """The words before the program."""
    return [sys.executable, "-m", "tests.cli.serve.confined", lack, "--"]


def _program(lack: _Lack) -> list[tuple[int, int, int, int]]:
    number = _NUMBERS[platform.machine()][lack.call]
    fail = [(_RETURN, 0, 0, _FAIL | lack.error)]
    if lack.first is not None:
        fail = [(_LOAD, 0, 0, _FIRST_OFFSET), (_JUMP_IF_EQUAL, 0, 1, lack.first), *fail]
    return [(_LOAD, 0, 0, _NUMBER_OFFSET), (_JUMP_IF_EQUAL, 0, len(fail), number), *fail, (_RETURN, 0, 0, _ALLOW)]


def _confine(lack: _Lack) -> None:
    instructions = b"".join(struct.pack("HBBI", *each) for each in _program(lack))
    text = ctypes.create_string_buffer(instructions, len(instructions))
    header = struct.pack("HL", len(instructions) // 8, ctypes.addressof(text))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((_NO_NEW_PRIVILEGES, 1, 0, 0, 0), (_SECCOMP, _SECCOMP_FILTER, header, 0, 0)):
        if libc.prctl(*arguments) != 0:
            raise OSError(ctypes.get_errno(), "prctl failed")


if __name__ == "__main__":
    _confine(LACKS[sys.argv[1]])
    os.execvp(sys.argv[3], sys.argv[3:])
