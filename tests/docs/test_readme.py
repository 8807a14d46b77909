"""The README's commands give the answers that it shows."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.server import RunningServer

README = Path(__file__).parents[2] / "README.md"
# A call in a block of its own, followed by what it prints.
SHOWN = re.compile(r"```sh\n(?P<command>curl .*?)\n```\n```json\n(?P<output>.*?)\n```", re.DOTALL)


class Curl(NamedTuple):
    """What a curl command of the README asks for; read here, because a fresh machine need not have curl."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes | None


def read_command(command: str) -> Curl:
    words = iter(shlex.split(command.replace("\\\n", " "))[1:])
    method, url, headers, body = "GET", "", dict[str, str](), None
    for word in words:
        match word:
            case "-s":
                pass
            case "-X":
                method = next(words)
            case "-H":
                name, _, value = next(words).partition(": ")
                headers[name] = value
            case "-d":
                body = next(words).encode()
            case _ if word.startswith("-"):
                raise ValueError(f"the README uses curl {word}, which this test cannot read")
            case _:
                url = word
    host, _, path = url.partition("/")
    assert host == "localhost:5600"
    return Curl(method, f"/{path}", headers, body)


def test_the_three_calls_print_what_the_readme_shows(server: RunningServer) -> None:
    shown = list(SHOWN.finditer(README.read_text("utf-8")))

    assert len(shown) == 3
    for example in shown:
        call = read_command(example["command"])
        answer = server.call(call.method, call.path, raw=call.body, headers=call.headers)
        assert answer.body.decode() == example["output"]


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)h#][^)]*)\)", README.read_text("utf-8")))
def test_linked_file_exists(link: str) -> None:
    assert (README.parent / link).exists()
