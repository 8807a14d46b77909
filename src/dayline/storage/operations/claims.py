"""Claims: an operation that is made or undone in slices has its buckets to itself until its last slice.

The unfinished row of the undo log is the claim. It is stored in the transaction of the first slice and ended in that of
the last, so a kill leaves either both or none. Recording and reading ignore claims. A change that would meet one calls
`check_idle` with its buckets locked, before it changes anything.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

from dayline.model.errors import Conflict, DaylineError
from dayline.model.upkeep.undo import OperationKind, OperationProgress, OperationState
from dayline.runtime.text import quantity
from dayline.storage.engine.tenant import TenantWriter
from dayline.storage.engine.transaction import WriteTransaction
from dayline.storage.history.undo_log import UNFINISHED_STATES, Operation

T = TypeVar("T")

# If these are interrupted, they end with the slices that were made. Merges, redactions and undos are resumed instead.
ENDED_IF_INTERRUPTED: Final[tuple[OperationKind, ...]] = (
    "fix_events", "delete_events", "downsample_bucket", "import_events",
)  # fmt: skip
_TEXTS: Final[dict[tuple[OperationKind, OperationState], str]] = {
    ("merge_buckets", "doing"): '{bucket} is being merged into "{other}"',
    ("merge_buckets", "undoing"): '{bucket} is being separated from "{other}"',
    ("delete_events", "doing"): "events of {bucket} are being deleted",
    ("fix_events", "doing"): "events of {bucket} are being corrected",
    ("downsample_bucket", "doing"): "{bucket} is being downsampled",
    ("import_events", "doing"): "events are being imported into {bucket}",
    ("redaction", "doing"): "texts of {bucket} are being redacted",
    ("redaction", "undoing"): "the redaction of {bucket} is being undone",
}


def claimed_buckets(operation: Operation) -> set[int] | None:
    """The keys of the buckets that an unfinished operation works on; None for all."""
    detail = operation.detail
    named: list[int | None] = [operation.bucket_key, detail.get("target"), *detail.get("buckets", ())]
    return {key for key in named if key is not None} or None


def check_idle(tx: WriteTransaction, keys: Collection[int] | None, *, except_for: int = 0) -> None:
    """Raise Conflict while another operation works on one of these buckets; None means all buckets.

    An operation that was interrupted for good is ended, so that its server cannot resume it unnoticed.
    """
    for operation in tx.operations(UNFINISHED_STATES):
        claimed = claimed_buckets(operation)
        if operation.key == except_for or not (keys is None or claimed is None or claimed & set(keys)):
            continue
        if not is_interrupted(tx, operation):
            raise _conflict(operation)
        tx.end_operation(operation.key)


def is_interrupted(tx: WriteTransaction, operation: Operation) -> bool:
    """Whether an operation ends with the slices that were made, because no server is working on it any more."""
    return operation.state == "doing" and operation.kind in ENDED_IF_INTERRUPTED and not tx.is_under_way(operation)


def progress_of(operation: Operation) -> OperationProgress | None:
    """What an unfinished operation is doing, and how far it is; None if it is finished."""
    if operation.state not in ("doing", "undoing"):
        return None
    done, of = _counts(operation)
    template = _TEXTS.get((operation.kind, operation.state), "{bucket} is being restored")
    text = template.format(bucket=_bucket_text(operation), other=operation.detail.get("other", ""))
    if of:
        text += f" ({done:,} of {quantity(of, 'event')})"
    elif done:
        text += f" ({quantity(done, 'event')} so far)"
    return OperationProgress(text=text, done=done, of=of)


def _bucket_text(operation: Operation) -> str:
    if operation.bucket:
        return f'"{operation.bucket}"'
    buckets = claimed_buckets(operation)
    return "all buckets" if buckets is None else quantity(len(buckets), "bucket")


def _counts(operation: Operation) -> tuple[int, int | None]:
    detail = operation.detail
    if operation.kind == "redaction":
        return 0, None
    if operation.kind == "merge_buckets":
        return int(detail.get("done", 0)), operation.events
    if operation.state == "undoing":
        return int(detail.get("restored", 0)), operation.events
    return operation.events, detail.get("of")


def _conflict(operation: Operation) -> Conflict:
    progress = progress_of(operation)
    assert progress is not None
    hint = f"it is operation {operation.key}"
    if operation.is_listed:
        hint += "; GET /api/1/trash shows its progress"
    return Conflict(f"{progress.text}; try again when that is finished", hint=hint)


@asynccontextmanager
async def claiming(writer: TenantWriter, begin: Callable[[WriteTransaction], int]) -> AsyncGenerator[int]:
    """Hold a claim that leaves nothing to undo. It ends with the block, even if that is cancelled while it begins."""
    operations: list[int] = []
    try:
        yield await complete(writer.change(begin), operations.append)
    finally:
        for operation in operations:
            await asyncio.shield(asyncio.ensure_future(end_claim(writer, operation)))


async def end_claim(writer: TenantWriter, operation: int) -> None:
    """End an operation made in slices. If the store cannot be written now, the trash does it later."""
    with suppress(DaylineError):
        await writer.change(lambda tx: tx.end_operation(operation))
    writer.release(operation)


async def complete(change: Awaitable[T], note: Callable[[T], None]) -> T:
    """Await a change that is committed even if the caller is cancelled; `note` gets its result in either case."""
    task = asyncio.ensure_future(change)
    try:
        return await asyncio.shield(task)
    finally:
        note(await task)
