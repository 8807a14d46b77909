"""The README, followed from top to bottom on a clean machine: its commands work on any day and print what it shows."""

import re
import shlex
import shutil
import signal
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from dayline import __version__
from tests.project.docs.pages.computer import Computer, answers
from tests.support.calls.endpoints import OUTSIDE_ADDRESS, Door
from tests.support.processes.prepared import PreparedProcess
from tests.support.server import RunningServer, free_port
from tests.support.waiting import PATIENCE_S, eventually

ROOT: Final = Path(__file__).parents[4]
README: Final = (ROOT / "README.md").read_text("utf-8")
MAKEFILE: Final = (ROOT / "Makefile").read_text("utf-8")
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
# Commands in a block, and what they print: below them, or in a block of its own.
BLOCK: Final = re.compile(r"```(?:sh|text)\n(?P<text>.*?)\n```(?:\n```json\n(?P<output>.*?)\n```)?", re.DOTALL)
DAY: Final = r"\d{1,2}(?: \w{3})?(?: \d{4})?"
# What a screen that is another one every day begins with.
SCREENS: Final = {
    "dayline today": re.compile(r"\w+, \d{1,2} \w+ \d{4} +Europe/Berlin\n\n  \d+h \d\dm active .*usual: "),
    "dayline top": re.compile(
        rf"Top categories · {DAY} to {DAY} .*\n.*active .*{DAY} to {DAY}: .*\n\n +MTWTFSS\n  ■ \w"
    ),
}


class Step(NamedTuple):
    """A command, and what the README says that it prints."""

    command: str
    output: str


def steps() -> list[Step]:
    """All commands of the README's blocks, in their order."""
    found: list[Step] = []
    for block in BLOCK.finditer(README):
        text = block["text"].replace("\\\n", " ")
        if text.startswith("$ "):
            screens = (screen.partition("\n") for screen in text.removeprefix("$ ").split("\n$ "))
            found += [Step(command, output) for command, _, output in screens]
        else:
            *lines, last = text.splitlines()
            found += [*(Step(line, "") for line in lines), Step(last, block["output"] or "")]
    return found


class Walk:
    """A user who follows the README."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self._home, self._laptop = Computer(folder / "home", port), Computer(folder / "laptop", port)
        self._server = RunningServer(folder / "unused", port=port)
        self._process: PreparedProcess | None = None
        self.done: list[str] = []

    def take(self, step: Step) -> None:
        """Do what a step says, and see whether it shows what it should."""
        program, *words = shlex.split(step.command, comments=True)
        match program:
            case "uv":
                # tests/project/test_dist.py installs the wheel; here its command is the one of the tests.
                assert words == ["tool", "install", "."]
                assert "dayline" in PROJECT["scripts"]
            case "make":
                assert re.search(rf"^{words[0]}:.*\n\t", MAKEFILE, re.MULTILINE)
                if words[0] == "run":
                    self._serve("dayline serve")
            case "curl":
                assert self._called(words) == step.output
            case "dayline":
                self._typed(words[0], step)
            case _:
                pytest.fail(f"this test cannot follow {step.command}")
        self.done.append(f"{program} {words[0]}")

    def end(self) -> None:
        self._laptop.stop()
        self._home.stop()

    def _typed(self, name: str, step: Step) -> None:
        if name == "serve":
            self._serve(step.command)
        elif name == "relay":
            self._relay(step.command)
        else:
            printed = self._home.type(step.command)
            if step.output:
                screen = SCREENS[f"dayline {name}"]
                assert screen.match(step.output), "the README shows another screen"
                assert screen.match(printed), printed

    def _serve(self, line: str) -> None:
        """Serve the data of the home folder; whatever served it before is stopped, as by Ctrl-C."""
        if self._process is not None:
            self._process.send_signal(signal.SIGTERM)
            assert self._process.wait(PATIENCE_S) == 0
        self._process = self._home.start(line)
        if "--host" not in line:
            eventually(lambda: answers(self._server))
            return
        owner = Door(OUTSIDE_ADDRESS, self._home.port, ca=self._ca, key=self._key("owner"))
        eventually(lambda: is_open(owner))
        assert "my-watcher_laptop" in owner.get("/api/0/buckets/").json

    def _relay(self, line: str) -> None:
        """On the other computer, with the two files that the text says to copy there."""
        shutil.copy(self._ca, self._laptop.home)
        shutil.copy(self._home.home / "laptop.key", self._laptop.home)
        port = free_port()
        self._laptop.start(line, "--port", str(port))
        eventually(lambda: answers(RunningServer(self._laptop.home / "unused", port=port)))

    @property
    def _ca(self) -> Path:
        return self._home.home / ".local" / "share" / "dayline" / "tls" / "ca.pem"

    def _key(self, name: str) -> str:
        return (self._home.home / f"{name}.key").read_text().strip()

    def _called(self, words: list[str]) -> str:
        """What curl prints, which a fresh machine need not have."""
        rest = iter(words)
        method, url, headers, body = "GET", "", dict[str, str](), None
        for word in rest:
            match word:
                case "-s":
                    pass
                case "-X":
                    method = next(rest)
                case "-H":
                    name, _, value = next(rest).partition(": ")
                    headers[name] = value
                case "-d":
                    body = next(rest).encode()
                case _ if word.startswith("-"):
                    raise ValueError(f"the README uses curl {word}, which this test cannot read")
                case _:
                    url = word
        host, _, path = url.partition("/")
        assert host == "localhost:5600"
        return self._server.call(method, f"/{path}", raw=body, headers=headers).body.decode()


def is_open(door: Door) -> bool:
    try:
        return bool(door.get("/api/0/info").status == 200)
    except OSError:
        return False


@pytest.fixture
def walk(tmp_path: Path) -> Iterator[Walk]:
    walk = Walk(tmp_path)
    try:
        yield walk
    finally:
        walk.end()


@pytest.mark.parametrize("page", ["README.md", "docs/start/install.md"])
def test_the_wheel_that_a_page_names_has_the_version_of_the_package(page: str) -> None:
    assert re.findall(r"dayline-([\d.]+)-py3-none-any\.whl", (ROOT / page).read_text("utf-8")) == [__version__]


def test_every_command_of_the_readme_works_in_order_on_a_clean_machine(walk: Walk) -> None:
    for step in steps():
        walk.take(step)

    assert walk.done[:11] == [
        "uv tool", "dayline serve", "make run", "make test", "curl -s", "curl -s", "curl -s",
        "dayline demo", "dayline today", "dayline top", "dayline keys",
    ]  # fmt: skip
