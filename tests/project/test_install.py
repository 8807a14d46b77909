"""What the Makefile installs: for `make run` what the server needs, for the tests the rest, and again what is missing.

Real environments, with three tiny packages in place of the locked ones: nothing is downloaded.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

import pytest

from scripts.build_web import BUILD_TOOLS
from tests.support.project.files import ROOT

RUNTIME, TOOLS, DAYLINE = ".venv/.runtime-installed", ".venv/.packages-installed", ".venv/.dayline-installed"
NODE: Final = "webui/node_modules/.package-lock.json"
SOURCES: Final = ("Makefile", "pyproject.toml", "hatch_build.py", "src/dayline/__init__.py", "webui/package-lock.json")
LOCKED: Final = {"runtime": ["server"], "build": ["builder"], "dev": ["server", "builder", "checker"]}
TIME_LIMIT_S: Final = 300
# The package of an import that is not relative, in a script or a style sheet. Types are not in what is built.
TYPE_IMPORT: Final = re.compile(r"^\s*import type .*$", re.MULTILINE)
IMPORT: Final = re.compile(
    r"""(?:\bfrom|^\s*@?import|\bimport\() ?"((?:@[\w-]+/)?[a-z][\w.-]*)[^"\n]*\"""", re.MULTILINE
)


class Checkout:
    """A folder with the Makefile, and lock files that require tiny packages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in SOURCES:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
        (folder / "requirements").mkdir()
        (folder / "wheels").mkdir()
        for lock, packages in LOCKED.items():
            lines = [f"{name}==1.0 --hash=sha256:{self._wheel(name)}\n" for name in packages]
            (folder / "requirements" / f"{lock}.txt").write_text("".join(lines))

    def make(self, *arguments: str) -> str:
        """Call make, which has to succeed; what it prints."""
        return self.run(*arguments).stdout

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = ["make", *arguments, f"PYTHON={sys.executable}"]
        wheels = (self.folder / "wheels").as_uri()
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": wheels, "PIP_CONFIG_FILE": os.devnull}
        done = subprocess.run(
            command, cwd=self.folder, env={"PATH": os.environ["PATH"], "HOME": str(self.folder), **offline},
            capture_output=True, text=True, timeout=TIME_LIMIT_S,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done

    def plan(self, target: str) -> str:
        """The commands that make would run."""
        return self.make("--dry-run", target)

    def touch(self, *stamps: str) -> None:
        """Pretend that these are installed."""
        for stamp in (".venv/.created", *stamps):
            (self.folder / stamp).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / stamp).touch()

    def packages(self) -> set[str]:
        """The packages that can be imported."""
        return {name for name in LOCKED["dev"] if list(self.folder.glob(f".venv/lib/*/site-packages/{name}.py"))}

    def installed(self, pattern: str) -> Path:
        """The one file of the environment's packages that has this name."""
        [path] = self.folder.glob(f".venv/lib/*/site-packages/{pattern}")
        return path

    def _wheel(self, name: str) -> str:
        """Write the wheel of a package with one module; its hash."""
        metadata = f"{name}-1.0.dist-info"
        file = self.folder / "wheels" / f"{name}-1.0-py3-none-any.whl"
        if not file.exists():
            with zipfile.ZipFile(file, "w") as wheel:
                wheel.writestr(f"{name}.py", "")
                wheel.writestr(f"{metadata}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
                wheel.writestr(f"{metadata}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
                wheel.writestr(f"{metadata}/RECORD", "")
        return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    folder = tmp_path / "Eigene Dateien, é"
    folder.mkdir()
    return Checkout(folder)


def test_make_run_plans_to_install_neither_tools_nor_node(checkout: Checkout) -> None:
    plan = checkout.plan("run")

    assert "--requirement requirements/runtime.txt --requirement requirements/build.txt" in plan
    assert plan.endswith("-m scripts.build_web\n.venv/bin/dayline serve\n")
    assert "dev.txt" not in plan
    assert "node_packages" not in plan


def test_make_test_plans_to_install_everything_before_the_first_check(checkout: Checkout) -> None:
    before, check, _ = checkout.plan("check").partition("-m scripts.check")

    assert check
    assert "--requirement requirements/dev.txt" in before
    assert "-m scripts.node_packages webui" in before
    assert "--editable ." in before


def test_make_dist_plans_to_build_both_archives_and_the_sbom(checkout: Checkout) -> None:
    plan = checkout.plan("dist")

    assert ".venv/bin/python -m hatchling build --target sdist --target wheel\n" in plan
    assert plan.endswith("-m scripts.sbom --output dist/sbom.cdx.json\n")


def test_make_run_finds_everything_installed_after_make_test(checkout: Checkout) -> None:
    checkout.touch(TOOLS, RUNTIME, DAYLINE, NODE)

    assert "pip install" not in checkout.plan("run")
    assert "pip install" not in checkout.plan("check")


def test_make_test_installs_the_tools_after_make_run(checkout: Checkout) -> None:
    checkout.touch(RUNTIME, DAYLINE)

    plan = checkout.plan("check")

    assert "--requirement requirements/dev.txt" in plan
    assert "-m scripts.node_packages webui" in plan
    assert "--editable" not in plan


def test_a_changed_lock_file_is_installed_by_the_next_call(checkout: Checkout) -> None:
    checkout.touch(TOOLS, RUNTIME, DAYLINE, NODE)
    later = (checkout.folder / RUNTIME).stat().st_mtime + 1
    for name in ("runtime", "dev"):
        os.utime(checkout.folder / "requirements" / f"{name}.txt", (later, later))

    assert "--requirement requirements/runtime.txt" in checkout.plan("run")
    assert "--requirement requirements/dev.txt" in checkout.plan("check")


def test_an_interrupted_install_is_completed_by_the_next_call(checkout: Checkout) -> None:
    # Interrupted while the environment was created: it has a Python, but no pip. Every later call failed.
    (checkout.folder / ".venv" / "bin").mkdir(parents=True)
    (checkout.folder / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (checkout.folder / ".venv" / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\n")
    checkout.make(RUNTIME)
    assert checkout.packages() == {"server", "builder"}

    # Interrupted while a package was written: pip finds its name and version, and counts it as installed.
    (checkout.folder / RUNTIME).unlink()
    checkout.installed("server-1.0.dist-info/RECORD").unlink()
    checkout.installed("server.py").unlink()
    # Interrupted while a package was replaced: pip has renamed the old one.
    metadata = checkout.installed("builder-1.0.dist-info")
    metadata.rename(metadata.with_name("~uilder-1.0.dist-info"))
    checkout.installed("builder.py").unlink()
    commands = checkout.make(TOOLS, RUNTIME)

    assert commands.count("pip install") == 1  # the tools include the runtime
    assert checkout.packages() == {"server", "builder", "checker"}
    assert checkout.installed("server-1.0.dist-info/RECORD").exists()
    assert list(checkout.folder.glob(".venv/lib/*/site-packages/~*")) == []


def test_a_python_that_is_not_tested_is_named_in_one_line(checkout: Checkout) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"

    done = checkout.run(RUNTIME, "TESTED=3.9 3.10")

    [line] = done.stderr.splitlines()
    assert line.startswith(f"Dayline is not tested with Python {version}; ")
    assert line.endswith(": make PYTHON=python3.10 ...")
    assert "--only-binary :all:" in done.stdout  # so that no compiler is tried
    assert checkout.packages() == {"server", "builder"}


def test_the_versions_that_are_tested_are_those_of_the_readme_and_the_package() -> None:
    tested = re.search(r"^TESTED := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert tested is not None
    versions = tested[1].split()

    assert f"(tested: {', '.join(versions[:-1])} and {versions[-1]})" in (ROOT / "README.md").read_text("utf-8")
    classifiers = (ROOT / "pyproject.toml").read_text("utf-8")
    assert re.findall(r"Python :: (3\.\d+)\"", classifiers) == versions


def test_the_page_is_built_from_what_make_run_installs() -> None:
    webui = ROOT / "webui"
    package = json.loads((webui / "package.json").read_text("utf-8"))
    sources = [
        webui / "vite.config.ts",
        webui / "vite-icons.ts",
        webui / "vite-texts.ts",
        webui / "svelte.config.js",
        *(file for file in (webui / "src").rglob("*.*") if not file.name.endswith((".test.ts", ".d.ts"))),
    ]

    imported = {name for file in sources for name in IMPORT.findall(TYPE_IMPORT.sub("", file.read_text("utf-8")))}
    imported.discard("node")  # modules of Node itself, such as node:fs

    assert {"vite", "svelte", "tailwindcss"} <= imported
    assert imported - package["dependencies"].keys() - set(BUILD_TOOLS) - {"node"} == set()  # a part of Node itself
