"""A released client in a process of its own, called method by method: one line of JSON there, one back."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from tests.support.waiting import PATIENCE_S

ROOT: Final = Path(__file__).resolve().parents[3]
PYTHON: Final = ROOT / ".venv-aw" / "bin" / "python"
NODE: Final = ROOT / ".venv" / "bin" / "node"
_CLIENTS: Final = ROOT / "tests" / "client" / "released"


class ClientError(Exception):
    """The client raised; the message is its own."""


class ReleasedClient:
    """Calls go to a method of the client by name; what it returns comes back as JSON."""

    def __init__(self, command: Sequence[str], *, home: Path) -> None:
        # Little environment: the client's settings and its queue belong to the test, and no proxy stands between.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"HOME": str(home), "PATH": os.environ["PATH"]},
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=PATIENCE_S)

    def call(self, method: str, *arguments: object, **options: object) -> Any:
        """What the method returned. Raises ClientError with the client's own words."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"method": method, "arguments": arguments, "options": options}) + "\n")
        self._process.stdin.flush()
        outcome = json.loads(self._process.stdout.readline())
        if "error" in outcome:
            raise ClientError(outcome["error"])
        return outcome["value"]


def python_client(port: int, *, home: Path, name: str = "test-client") -> ReleasedClient:
    """The Python client, installed by `make clients`."""
    assert PYTHON.exists(), "the Python client is not installed; type: make clients"
    return ReleasedClient([str(PYTHON), str(_CLIENTS / "python_calls.py"), name, str(port)], home=home)


def javascript_client(url: str, *, home: Path) -> ReleasedClient:
    """The JavaScript client, installed by `make clients`."""
    folder = _CLIENTS / "javascript"
    assert (folder / "node_modules" / "aw-client").exists(), (
        "the JavaScript client is not installed; type: make clients"
    )
    return ReleasedClient([str(NODE), str(folder / "calls.mjs"), "test-client", url], home=home)
