"""Records the commands that you run in a terminal, from a file to which your shell appends them.

Add to ~/.bashrc (bash 5 or later):

    PS0='${BASH_VERSION:$((_dayline_started=${EPOCHREALTIME/[.,]/},0)):0}'
    PROMPT_COMMAND='_dayline_done'
    _dayline_done() {
        local status=$? command
        read -r _ command <<< "$(HISTTIMEFORMAT='' history 1)"
        [[ ${_dayline_started:-} ]] && printf '%s\\t%s\\t%s\\t%s\\n' "$_dayline_started" \\
            "${EPOCHREALTIME/[.,]/}" "$status" "${command%% *}" >> ~/.dayline-commands
        unset _dayline_started
    }
"""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from dayline.client import Watcher

LOG = Path.home() / ".dayline-commands"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def main() -> None:
    LOG.touch()
    with Watcher("terminal-command", type="app.terminal.command", pulsetime_s=0) as watcher, LOG.open() as log:
        log.seek(0, os.SEEK_END)
        while True:
            while line := log.readline():
                started, ended, status, command = line.rstrip("\n").split("\t", 3)
                watcher.heartbeat(
                    {"command": command, "status": int(status)},
                    timestamp=EPOCH + timedelta(microseconds=int(started)),
                    duration=timedelta(microseconds=int(ended) - int(started)),
                )
            time.sleep(1)


if __name__ == "__main__":
    main()
