"""`python -m tests.support.processes.tethered serve …` is `dayline serve …` that also ends with its standard input.

Anyone who starts it keeps the other end of that input open. The system closes it with the starter, however that ends.
Queries wait for their turn as long as it takes: on a busy machine that is longer than a person would wait.
"""

import os
import signal
import threading

from dayline.cli.main import main
from tests.support.server import replacing
from tests.support.waiting import PATIENCE_S

_PATIENT = replacing({"dayline.query.processes.workers:QueryWorkers.queue_s": PATIENCE_S})


def _end_with_input() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    threading.Thread(target=_end_with_input, daemon=True).start()
    exec(_PATIENT)
    main()
