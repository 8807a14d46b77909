"""Records the active branch of the Git repositories that are named on the command line."""

import subprocess
import sys
import time
from pathlib import Path

from dayline.client import Watcher

INTERVAL_S = 10.0


def active_branch(folder: Path) -> str:
    command = ["git", "-C", str(folder), "branch", "--show-current"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def main() -> None:
    folders = [Path(name).resolve() for name in sys.argv[1:]] or [Path.cwd()]
    with Watcher("git-branch", type="app.git.branch", pulsetime_s=2.5 * INTERVAL_S) as watcher:
        while True:
            # The repository that you worked in last: Git writes its index with every add, commit and checkout.
            latest = max(folders, key=lambda folder: (folder / ".git" / "index").stat().st_mtime)
            if branch := active_branch(latest):
                watcher.heartbeat({"repository": latest.name, "branch": branch})
            time.sleep(INTERVAL_S)


if __name__ == "__main__":
    main()
