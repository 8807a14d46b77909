"""The launchd agent, and the commands that install it."""

import os
import plistlib
import re
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from dayline.cli.service.platform import STOP_S, Job, Run, State, Step
from dayline.model.errors import Unavailable

_OWNER_ONLY: Final = 0o077
_PAUSE_S: Final = 10  # between two starts after a failure


class Launchd(Struct, frozen=True, kw_only=True):
    """The service manager of macOS. `domain` is the session of the user, such as gui/501."""

    name: str
    path: Path
    domain: str
    title: str = "launchd"

    @property
    def service(self) -> str:
        return f"{self.domain}/{self.name}"

    def content(self, job: Job) -> bytes:
        agent: dict[str, Any] = {
            "Label": self.name,
            "ProgramArguments": list(job.command),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
            "ThrottleInterval": _PAUSE_S,
            "ExitTimeOut": STOP_S,
            "Umask": _OWNER_ONLY,
            "ProcessType": "Background",
        }
        if job.environment:
            agent["EnvironmentVariables"] = dict(job.environment)
        return plistlib.dumps(agent, sort_keys=False)

    def text(self, content: bytes) -> str:
        return content.decode(errors="replace")

    def command(self, content: bytes) -> tuple[str, ...]:
        try:
            words = plistlib.loads(content)["ProgramArguments"]
        except (plistlib.InvalidFileException, ValueError, KeyError, TypeError):
            return ()
        return tuple(word for word in words if isinstance(word, str))

    def check(self, run: Run) -> None:
        try:
            ran = run(("launchctl", "print", self.domain))
        except Unavailable as error:
            raise Unavailable("launchd is not available") from error
        if ran.code != 0:
            raise Unavailable(
                f"launchd has no session {self.domain} of yours: {ran.message}",
                hint="log in at the screen: an SSH session is not enough",
            )

    def install(self, *, is_changed: bool) -> list[Step]:
        end = [self._step("bootout", self.service, may_fail=True)] if is_changed else []
        return [
            *end,
            self._step("enable", self.service),
            # It fails if the agent is loaded already; the kickstart then starts it.
            self._step(
                "bootstrap",
                self.domain,
                str(self.path),
                may_fail=not is_changed,
                patience_s=STOP_S if is_changed else 0,
            ),
            self._step("kickstart", self.service),
        ]

    def remove(self) -> list[Step]:
        return [self._step("bootout", self.service, may_fail=True)]

    def forget(self) -> list[Step]:
        return []

    def state(self, run: Run) -> State:
        ran = run(("launchctl", "print", self.service))
        if ran.code != 0:
            return State(is_enabled=False, is_running=False, message="not loaded")
        process = re.search(r"^\s*pid = (\d+)$", ran.output, re.MULTILINE)
        message = re.search(r"^\s*state = (.+)$", ran.output, re.MULTILINE)
        disabled = run(("launchctl", "print-disabled", self.domain)).output
        return State(
            is_enabled=re.search(rf'"{re.escape(self.name)}" => (disabled|true)', disabled) is None,
            is_running=process is not None,
            since=None if process is None else run(("ps", "-o", "lstart=", "-p", process[1])).output.strip() or None,
            process=None if process is None else int(process[1]),
            message=None if message is None else message[1],
        )

    def hint(self) -> str | None:
        return None

    def _step(self, *words: str, may_fail: bool = False, patience_s: float = 0) -> Step:
        return Step(command=("launchctl", *words), may_fail=may_fail, patience_s=patience_s)


def launchd(name: str) -> Launchd:
    """The manager of this user."""
    path = Path.home() / "Library" / "LaunchAgents" / f"{name}.plist"
    return Launchd(name=name, path=path, domain=f"gui/{os.getuid()}")
