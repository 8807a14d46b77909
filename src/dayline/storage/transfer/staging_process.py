"""Starts the process that stages documents, and hears what it found."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from dayline.storage.child import ChildFailed, run_child
from dayline.storage.faults import child_failed, failed
from dayline.storage.transfer.staged import Outcome, Staged, refuse
from dayline.transform.privacy import PrivacyRules

_STOPPED: Final = "the import was stopped before it changed anything"


async def stage_documents(path: Path, documents: Sequence[Path], rules: PrivacyRules) -> Staged:
    """Read, check and sort the documents into a file of rows, in a process of its own. Raises Malformed or Invalid."""
    book = path.with_name("rules.json")
    try:
        book.write_bytes(msgspec.json.encode(rules.book))
        answer = await run_child("dayline.storage.transfer.staging", path, book, *documents)
    except ChildFailed as error:
        raise child_failed(_STOPPED, str(error), path.parent) from error
    except OSError as error:
        raise failed(_STOPPED, error, path.parent) from error
    outcome = msgspec.json.decode(answer, type=Outcome)
    if outcome.refusal is not None:
        raise refuse(outcome.refusal)
    if outcome.staged is None:
        raise AssertionError("staging answers with rows or a refusal")
    return outcome.staged
