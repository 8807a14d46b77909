"""The container file and the Kubernetes manifest, taken apart."""

import re
import shlex
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import msgspec
import yaml

from tests.support.project.files import ROOT

CONTAINERFILE: Final = ROOT / "Containerfile"


class Step(NamedTuple):
    """One instruction: its word, and what follows it."""

    word: str
    rest: str

    @property
    def words(self) -> list[str]:
        """Its arguments, without options, in either of the two forms."""
        if self.rest.startswith("["):
            return msgspec.json.decode(self.rest, type=list[str])
        return [word for word in shlex.split(self.rest) if not word.startswith("--")]


def stages() -> list[list[Step]]:
    """The steps of each stage; a stage begins with its FROM."""
    lines = [line for line in CONTAINERFILE.read_text("utf-8").splitlines() if not line.startswith("#")]
    # An argument before the first stage counts in the FROM lines alone.
    lines = lines[next(number for number, line in enumerate(lines) if line.startswith("FROM")) :]
    found: list[list[Step]] = []
    for line in re.sub(r"\\\n\s*", " ", "\n".join(lines)).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "FROM":
            found.append([])
        if word:
            found[-1].append(Step(word, rest.strip()))
    return found


def default_arguments() -> dict[str, str]:
    """The build arguments that FROM lines can use, with their defaults."""
    head = CONTAINERFILE.read_text("utf-8").partition("\nFROM ")[0]
    return dict(re.findall(r"^ARG (\w+)=(\S+)$", head, re.MULTILINE))


def step_of(stage: list[Step], word: str) -> Step:
    """The one step of a stage that begins with this word."""
    [step] = [step for step in stage if step.word == word]
    return step


def environment_of(stage: list[Step]) -> dict[str, str]:
    """The variables that a stage sets."""
    pairs = [pair.partition("=") for step in stage if step.word == "ENV" for pair in step.words]
    return {name: value for name, _, value in pairs}


def copied_sources(stage: list[Step]) -> list[tuple[Path, str]]:
    """What a stage copies out of the source tree, and where to."""
    found: list[tuple[Path, str]] = []
    for step in stage:
        if step.word == "COPY" and not step.rest.startswith("--from"):
            *sources, target = step.words
            found += [(Path(source), target) for source in sources]
    return found


FILE: Final = ROOT / "contrib" / "kubernetes" / "dayline.yaml"


def resources() -> dict[str, dict[str, Any]]:
    """What the file describes, by its kind."""
    _comment, *documents = FILE.read_text("utf-8").split("\n---\n")
    found = [cast("dict[str, Any]", yaml.safe_load(document)) for document in documents]
    return {resource["kind"]: resource for resource in found}


def pod() -> dict[str, Any]:
    spec: dict[str, Any] = resources()["Deployment"]["spec"]["template"]["spec"]
    return spec


def container() -> dict[str, Any]:
    [only] = pod()["containers"]
    return cast("dict[str, Any]", only)


def environment() -> dict[str, str | None]:
    """The variables; None for those whose value is a secret."""
    return {variable["name"]: variable.get("value") for variable in container()["env"]}
