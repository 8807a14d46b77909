"""Dayline as its users get it: built and installed, the container file and the Kubernetes manifest."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import msgspec
import yaml
from packaging.requirements import Requirement

from tests.support.project.files import ROOT, requirements
from tests.support.waiting import PATIENCE_S

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


RUNTIME: Final = ROOT / "requirements" / "runtime.txt"


def built(source: Path, target: Path) -> dict[str, Path]:
    """Build the wheel and the source archive of the tree in `source`; the files by their suffix, `.whl` and `.gz`."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(target), folder=source)
    return {file.suffix: file for file in target.iterdir()}


def environment_with(wheel: Path, folder: Path) -> Path:
    """A new environment with the wheel and the locked packages that it runs on; its `bin` folder.

    The packages are links to those of the tests, which have the same versions: nothing is downloaded.
    """
    run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    [packages] = folder.glob("lib/python*/site-packages")
    for name in runtime_packages():
        for top in {file.parts[0] for file in distribution(name).files or []} - {"..", "__pycache__"}:
            (packages / top).symlink_to(str(distribution(name).locate_file(top)))
    python = folder / "bin" / "python"
    pip = ["-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    run(sys.executable, *pip, "--no-deps", "--no-index", str(wheel))
    return folder / "bin"


def runtime_packages() -> list[str]:
    """The names of the packages that the lock file requires on this platform."""
    locked = [Requirement(line.partition(" --hash")[0]) for line in requirements(RUNTIME)]
    return [one.name for one in locked if one.marker is None or one.marker.evaluate()]


def environment_variables(bin_folder: Path, home: Path) -> dict[str, str]:
    """The variables of a user who has nothing but that environment: no Node, and no module from elsewhere."""
    return {"PATH": str(bin_folder), "PYTHONPATH": "", "HOME": str(home)}


def run(*command: str, folder: Path = ROOT) -> str:
    """Run a command, which has to succeed; what it prints."""
    variables = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout


def copied_page(folder: Path) -> Path:
    """The sources of the web UI in another folder, with the same Node packages."""
    webui = ROOT / "webui"
    shutil.copytree(webui, folder, ignore=shutil.ignore_patterns("node_modules", "e2e", "*.test.ts"))
    (folder / "node_modules").symlink_to(webui / "node_modules")
    return folder
