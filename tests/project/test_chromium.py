"""Which browser the browser tests run in."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STARTS = "#!/bin/sh\nexit 0\n"


def add_program(folder: Path, name: str, script: str) -> Path:
    program = folder / name
    program.write_text(script)
    program.chmod(0o755)
    return program


def found(folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """What scripts/chromium.py answers on a machine that has only the programs in `folder`."""
    environment = {"HOME": str(folder), "PATH": str(folder), **variables}
    command = [sys.executable, "-m", "scripts.chromium"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_an_installed_chromium_that_starts_is_used(tmp_path: Path) -> None:
    add_program(tmp_path, "chromium", "#!/bin/sh\nexit 1\n")
    chrome = add_program(tmp_path, "google-chrome", STARTS)

    assert found(tmp_path).stdout == f"{chrome}\n"


def test_the_chromium_that_the_environment_names_goes_before_an_installed_one(tmp_path: Path) -> None:
    add_program(tmp_path, "chromium", STARTS)
    mine = add_program(tmp_path, "mine", STARTS)

    assert found(tmp_path, CHROMIUM=str(mine)).stdout == f"{mine}\n"


@pytest.mark.root
def test_root_on_debian_gets_the_full_chromium_and_not_a_headless_shell(tmp_path: Path) -> None:
    # The headless shell never requests an icon, so that a 404 for it was found only on machines with a full Chromium.
    ready = add_program(tmp_path, "chromium.deb", STARTS)
    chromium = tmp_path / "chromium"
    add_program(tmp_path, "apt-get", f'#!/bin/sh\ncase "$*" in *install*) /bin/mv {ready} {chromium};; esac\n')

    done = found(tmp_path)

    assert done.stdout == f"{chromium}\n"
    assert "npm" not in done.stderr  # neither its failure nor its headless shell
