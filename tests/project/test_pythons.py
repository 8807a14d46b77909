"""Which Pythons the tests of CI run on."""

import os
import subprocess
import sys
from pathlib import Path

from scripts import pythons


def test_each_version_that_starts_is_listed_once_with_the_oldest_first(tmp_path: Path) -> None:
    base = Path(sys.base_prefix) / "bin" / "python3"
    (tmp_path / "python3.98").symlink_to(base)
    for name, script in (("python3.97", "exit 1"), ("python3.96", "echo 3 10 9"), ("python3.95", "echo 3 99 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)

    listed = subprocess.run(
        [base, pythons.__file__],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    versions = [tuple(map(int, line.split()[0].split("."))) for line in listed]
    assert versions == sorted(set(versions))
    version = ".".join(map(str, sys.version_info[:3]))
    assert f"{version} {tmp_path / 'python3.98'}" in listed
    assert listed[-1] == f"3.99.1 {tmp_path / 'python3.95'}"
    assert not any("python3.97" in line or "python3.96" in line for line in listed)
