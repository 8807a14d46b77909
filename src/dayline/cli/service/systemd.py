"""The systemd user unit, and the commands that install it."""

import getpass
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from dayline.cli.service.platform import DESCRIPTION, STOP_S, Job, Run, State, Step
from dayline.model.errors import Unavailable
from dayline.runtime.machine import is_in_container

TEMPLATE: Final = """\
# A user unit: it runs as you, from login to logout. Written by `dayline service install`.
# Put your changes into `systemctl --user edit {name}`: the next install overwrites this file.

[Unit]
Description={description}

[Service]
Type=notify
ExecStart={command}
{environment}Restart=on-failure
RestartSec=5
# 65: the file is no database, 78: the settings are invalid. A restart would not help.
RestartPreventExitStatus=65 78
TimeoutStopSec={stop_s}

# Its files are readable by you only, and it gets no more permissions than it needs.
UMask=0077
LimitCORE=0
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=default.target
"""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_@%+=:,./$-]+")
_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# systemd does not start programs with such names, and treats a $ there differently than in arguments.
_REFUSED_IN_PROGRAMS: Final = re.compile(r"""["'\\$\x00-\x1f\x7f]""")
_WORD: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(?:x([0-9a-f]{2})|(.))", re.DOTALL)
_FIELDS: Final = "LoadState,ActiveState,SubState,UnitFileState,MainPID,ActiveEnterTimestamp"


class Systemd(Struct, frozen=True, kw_only=True):
    """The service manager of Linux."""

    name: str
    path: Path
    title: str = "systemd"

    @property
    def unit(self) -> str:
        return f"{self.name}.service"

    def content(self, job: Job) -> bytes:
        words = job.command
        if _REFUSED_IN_PROGRAMS.search(words[0]):
            words = ("/usr/bin/env", *words)
        return unit_text(self.name, " ".join(map(_argument, words)), job.environment).encode()

    def text(self, content: bytes) -> str:
        return content.decode(errors="replace")

    def command(self, content: bytes) -> tuple[str, ...]:
        line = re.search(r"^ExecStart=(.*)$", self.text(content), re.MULTILINE)
        return () if line is None else split_command(line[1])

    def check(self, run: Run) -> None:
        try:
            ran = run(("systemctl", "--user", "show-environment"))
        except Unavailable as error:
            raise Unavailable("systemd is not available", hint=_instead()) from error
        if ran.code != 0:
            raise Unavailable(f"systemd does not run services of this user: {ran.message}", hint=_instead())

    def install(self, *, is_changed: bool) -> list[Step]:
        steps = [self._step("daemon-reload"), self._step("enable", "--now", self.unit)]
        # A running service keeps the command line it was started with.
        return [*steps, self._step("restart", self.unit)] if is_changed else steps

    def remove(self) -> list[Step]:
        return [self._step("disable", "--now", self.unit)]

    def forget(self) -> list[Step]:
        return [self._step("daemon-reload"), self._step("reset-failed", self.unit, may_fail=True)]

    def state(self, run: Run) -> State:
        ran = run(("systemctl", "--user", "show", self.unit, f"--property={_FIELDS}"))
        fields = dict(line.split("=", 1) for line in ran.output.splitlines() if "=" in line)
        if ran.code != 0 or not fields:
            return State(message=ran.message)
        active, process = fields.get("ActiveState"), int(fields.get("MainPID") or 0)
        return State(
            is_enabled=fields.get("UnitFileState") in ("enabled", "enabled-runtime"),
            is_running=active in ("active", "reloading"),
            since=fields.get("ActiveEnterTimestamp") or None,
            process=process or None,
            message=f"{active} ({fields.get('SubState')})",
        )

    def hint(self) -> str | None:
        if (Path("/var/lib/systemd/linger") / getpass.getuser()).exists():
            return None
        return "It runs while you are logged in. To start it with the computer: loginctl enable-linger"

    def _step(self, *words: str, may_fail: bool = False) -> Step:
        return Step(command=("systemctl", "--user", *words), may_fail=may_fail)


def systemd(name: str) -> Systemd:
    """The manager of this user."""
    config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return Systemd(name=name, path=config / "systemd" / "user" / f"{name}.service")


def unit_text(name: str, command: str, environment: Mapping[str, str]) -> str:
    """A unit with a command line that is already quoted."""
    lines = "".join(f"Environment={_quoted(f'{key}={value}')}\n" for key, value in environment.items())
    return TEMPLATE.format(name=name, description=DESCRIPTION, command=command, environment=lines, stop_s=STOP_S)


def _argument(word: str) -> str:
    return _quoted(word.replace("$", "$$"))


def _quoted(word: str) -> str:
    word = word.replace("%", "%%")
    if _PLAIN.fullmatch(word):
        return word
    return f'"{"".join(_ESCAPES.get(letter) or _letter(letter) for letter in word)}"'


def _letter(letter: str) -> str:
    return f"\\x{ord(letter):02x}" if ord(letter) < 0x20 or ord(letter) == 0x7F else letter


def split_command(line: str) -> tuple[str, ...]:
    """The words of an ExecStart line."""
    return tuple(map(_unquoted, _WORD.finditer(line)))


def _unquoted(match: re.Match[str]) -> str:
    word = match[2] if match[1] is None else _ESCAPED.sub(_meant, match[1])
    return word.replace("%%", "%").replace("$$", "$")


def _meant(match: re.Match[str]) -> str:
    if match[1] is not None:
        return chr(int(match[1], 16))
    return {"n": "\n", "t": "\t", "r": "\r"}.get(match[2], match[2])


def _instead() -> str:
    """A hint if there is no user manager."""
    if is_in_container():
        return "in a container, run `dayline serve` as its command: docs/start/container.md"
    if "microsoft" in _kernel().lower():
        return "in WSL put `systemd=true` under [boot] into /etc/wsl.conf, then run in Windows: wsl --shutdown"
    return (
        "log in as this user instead of using su or sudo, or run: loginctl enable-linger; "
        "without systemd, start `dayline serve` with your session"
    )


def _kernel() -> str:
    try:
        return Path("/proc/sys/kernel/osrelease").read_text()
    except OSError:
        return ""
