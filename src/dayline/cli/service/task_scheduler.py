"""The task of Windows Task Scheduler, and the commands that install it."""

import getpass
import os
import re
import subprocess
import xml.etree.ElementTree as XML
from pathlib import Path
from typing import Final

import platformdirs
from msgspec import Struct

from dayline.cli.service.platform import DESCRIPTION, Job, Run, State, Step
from dayline.model.errors import Invalid, Unavailable

NAMESPACE: Final = "http://schemas.microsoft.com/windows/2004/02/mit/task"
_SETTINGS: Final = {
    "MultipleInstancesPolicy": "IgnoreNew",
    "DisallowStartIfOnBatteries": "false",
    "StopIfGoingOnBatteries": "false",
    "StartWhenAvailable": "true",
    "Enabled": "true",
    "ExecutionTimeLimit": "PT0S",  # no limit; without it the task is ended after three days
}
_RESTARTS: Final = {"Interval": "PT1M", "Count": "10"}


class TaskScheduler(Struct, frozen=True, kw_only=True):
    """The service manager of Windows. The login of `user` starts the task."""

    name: str
    path: Path
    user: str
    title: str = "Task Scheduler"

    def content(self, job: Job) -> bytes:
        if job.environment:
            raise Invalid(
                f"a Windows task cannot set environment variables: {', '.join(sorted(job.environment))}",
                hint="set them for your user in the system settings, or use dayline settings set",
            )
        task = XML.Element("Task", {"version": "1.2", "xmlns": NAMESPACE})
        _with(XML.SubElement(task, "RegistrationInfo"), {"Description": DESCRIPTION, "URI": f"\\{self.name}"})
        _with(
            XML.SubElement(XML.SubElement(task, "Triggers"), "LogonTrigger"), {"Enabled": "true", "UserId": self.user}
        )
        _with(
            XML.SubElement(XML.SubElement(task, "Principals"), "Principal", id="Author"),
            {"UserId": self.user, "LogonType": "InteractiveToken", "RunLevel": "LeastPrivilege"},
        )
        settings = XML.SubElement(task, "Settings")
        _with(settings, _SETTINGS)
        _with(XML.SubElement(settings, "RestartOnFailure"), _RESTARTS)
        program, *rest = job.command
        _with(
            XML.SubElement(XML.SubElement(task, "Actions", Context="Author"), "Exec"),
            {"Command": program, "Arguments": subprocess.list2cmdline(rest)},
        )
        XML.indent(task)
        # UTF-16: the only encoding that every version of schtasks reads.
        return f'<?xml version="1.0" encoding="UTF-16"?>\n{XML.tostring(task, "unicode")}\n'.encode("utf-16")

    def text(self, content: bytes) -> str:
        return content.decode("utf-16", errors="replace")

    def command(self, content: bytes) -> tuple[str, ...]:
        try:
            task = XML.fromstring(content)
        except XML.ParseError:
            return ()
        program = task.findtext(f".//{{{NAMESPACE}}}Command")
        arguments = task.findtext(f".//{{{NAMESPACE}}}Arguments") or ""
        return () if program is None else (program, *split_arguments(arguments))

    def check(self, run: Run) -> None:
        try:
            ran = run(("schtasks", "/Query", "/FO", "CSV", "/NH"))
        except Unavailable as error:
            raise Unavailable("Task Scheduler is not available") from error
        if ran.code != 0:
            raise Unavailable(f"the Task Scheduler does not answer: {ran.message}", hint="start its service, Schedule")

    def install(self, *, is_changed: bool) -> list[Step]:
        end = [self._step("/End", may_fail=True)] if is_changed else []
        return [*end, self._step("/Create", "/XML", str(self.path), "/F"), self._step("/Run")]

    def remove(self) -> list[Step]:
        return [self._step("/End", may_fail=True), self._step("/Delete", "/F")]

    def forget(self) -> list[Step]:
        return []

    def state(self, run: Run) -> State:
        ran = run(("schtasks", "/Query", "/TN", self.name, "/XML", "ONE"))
        if ran.code != 0:
            return State(is_enabled=False, is_running=False, message="no such task")
        # The state is reported in the user's language only, so the server is asked instead.
        is_off = re.search(r"<Settings>.*<Enabled>false</Enabled>.*</Settings>", ran.output, re.DOTALL)
        return State(is_enabled=is_off is None)

    def hint(self) -> str | None:
        return None

    def _step(self, verb: str, *words: str, may_fail: bool = False) -> Step:
        return Step(command=("schtasks", verb, "/TN", self.name, *words), may_fail=may_fail)


def task_scheduler(name: str) -> TaskScheduler:
    """The manager of this user."""
    folder = Path(platformdirs.user_data_dir("dayline", appauthor=False))
    domain, user = os.environ.get("USERDOMAIN"), os.environ.get("USERNAME") or getpass.getuser()
    return TaskScheduler(name=name, path=folder / f"{name}-task.xml", user=f"{domain}\\{user}" if domain else user)


def split_arguments(line: str) -> tuple[str, ...]:
    """The words of a Windows command line."""
    words: list[str] = []
    word, is_quoted, has_begun = "", False, False
    for backslashes, letter in re.findall(r"(\\*)(.|$)", line, re.DOTALL):
        if letter == '"':
            word += "\\" * (len(backslashes) // 2)
            has_begun = True
            if len(backslashes) % 2:
                word += '"'
            else:
                is_quoted = not is_quoted
            continue
        word += backslashes
        if letter in (" ", "\t") and not is_quoted:
            if word or has_begun:
                words.append(word)
            word, has_begun = "", False
        else:
            word += letter
    return (*words, word) if word or has_begun else tuple(words)


def _with(parent: XML.Element, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        XML.SubElement(parent, name).text = text
