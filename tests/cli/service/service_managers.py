"""Stand-ins for the programs of service managers: real executables that write down what they are asked to do.

No systemd of a user runs where the tests do, nor launchd, nor Windows: what these programs would do with the files is
theirs, and not tested here.
"""

import os
import subprocess
from pathlib import Path
from typing import Final

from tests.support.processes.command import environment
from tests.support.processes.prepared import completed
from tests.support.waiting import PATIENCE_S

_RECORDER: Final = """\
#!/bin/sh
for word in "$0" "$@"; do printf '%s\\037' "${word##*/programs/}" >> "$RECORD"; done
printf '\\n' >> "$RECORD"
case "$*" in
  $REFUSED) echo "Failed to connect to bus" >&2; exit 1 ;;
  *" show "*|"print gui"*|*"/XML ONE"*) cat "$RECORD.state" 2>/dev/null ;;
esac
exit 0
"""


class Managers:
    """A home of its own with the stand-ins first on the path."""

    def __init__(self, home: Path, *, refused: str = "nothing") -> None:
        self.home = home
        self._programs = home / "programs"
        self._programs.mkdir()
        self._record = home / "record"
        self._refused = refused
        for name in ("systemctl", "launchctl", "schtasks"):
            program = self._programs / name
            program.write_text(_RECORDER)
            program.chmod(0o755)

    @property
    def asked(self) -> list[tuple[str, ...]]:
        """Every call that was made, the program's name first."""
        lines = self._record.read_text().splitlines() if self._record.exists() else []
        return [tuple(line.split("\x1f")[:-1]) for line in lines]

    def answer(self, text: str) -> None:
        """What a program says when it is asked how the service is."""
        self._record.with_name("record.state").write_text(text)

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """`dayline service` with these arguments."""
        mine = {"RECORD": str(self._record), "REFUSED": self._refused, "USERNAME": "robin", **variables}
        given = environment(self.home, **mine)
        given["PATH"] = f"{self._programs}{os.pathsep}{given['PATH']}"
        return completed(["service", *arguments], given, seconds=PATIENCE_S)
