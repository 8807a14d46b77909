"""What the real systemd says of a unit of the user."""

import subprocess
from pathlib import Path

from tests.support.waiting import PATIENCE_S


def verdict_of(unit: Path, *, home: Path) -> subprocess.CompletedProcess[str]:
    """Have a unit file verified."""
    return subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(unit)],
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "XDG_RUNTIME_DIR": str(home)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
