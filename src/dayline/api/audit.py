"""`/api/1/audit`: who has called, and what they did."""

from typing import Annotated

from msgspec import Meta, Struct

from dayline.api.call import Call, in_thread
from dayline.model.audit import AuditEntry, AuditFilter
from dayline.model.timestamps import Timestamp, format_timestamp

PAGE = 100
_MOST = 1000


class AuditLine(Struct, frozen=True, kw_only=True):
    """Calls of one kind, counted together: for a day, refusals for an hour; what destroys something stands alone.

    `who` is `open` where no key is asked for, `nobody` where none was shown, else how they came in, with the key's id.
    """

    number: int
    first: Timestamp
    last: Timestamp
    count: Annotated[int, Meta(ge=1)]
    who: str
    key_id: str
    key_name: str
    address: str
    call: str
    bucket: str
    status: int


class AuditPage(Struct, frozen=True, kw_only=True):
    """Lines of the audit log, the one with the latest `last` first; `cursor` asks for the next ones, `null` at the end.

    There may be more lines than `limit`, if several of them ended at the same time.
    """

    lines: list[AuditLine]
    cursor: int | None


async def get_audit(call: Call) -> None:
    """Recording and reading are counted by day, caller, address, call, bucket and status; refusals by hour.

    Everything that destroys something has a line of its own.
    """
    limit = call.number("limit") or PAGE
    which = AuditFilter(
        before=call.number("cursor"),
        key_id=call.request.get_param("key"),
        bucket=call.request.get_param("bucket"),
        call=call.request.get_param("call"),
        address=call.request.get_param("address"),
        is_refused=call.request.get_param("refused", default="") in ("1", "true"),
        since=call.moment("since"),
        until=call.moment("until"),
        limit=min(limit, _MOST),
    )
    await call.services.trail.flush()
    entries = await in_thread(call.access.audit, which)
    names = {key.id: key.name for key in call.services.gate.keyring.all(tenant=call.caller.tenant)}
    is_last = len(entries) < which.limit
    call.answer_value(
        AuditPage(
            lines=[_line(entry, names.get(entry.key_id, "")) for entry in entries],
            cursor=None if is_last else entries[-1].last,
        )
    )


def _line(entry: AuditEntry, key_name: str) -> AuditLine:
    return AuditLine(
        number=entry.number,
        first=format_timestamp(entry.first),
        last=format_timestamp(entry.last),
        count=entry.count,
        who=entry.who,
        key_id=entry.key_id,
        key_name=key_name,
        address=entry.address,
        call=entry.call,
        bucket=entry.bucket,
        status=entry.status,
    )
