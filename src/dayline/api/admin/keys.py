"""`/api/1/keys` and `/api/1/audit`: create, list, revoke and rotate keys; the audit log."""

from typing import Annotated

import falcon
import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.api.http.call import Call
from dayline.model.access import (
    MAX_NAME_CHARACTERS,
    AccessKey,
    AuditEntry,
    AuditFilter,
    KeyId,
    Scope,
    TenantName,
    check_bucket_names,
)
from dayline.model.data import decode_body
from dayline.model.errors import Forbidden, Invalid
from dayline.model.time import SECOND, Microseconds, Timestamp, format_timestamp, parse_timestamp
from dayline.runtime.threads import in_thread

_LONGEST_GRACE_S = 7 * 86_400


class NewKey(Struct, frozen=True, kw_only=True):
    """A key to be made. `buckets` are ids, or names with `*` for any characters; none means all buckets."""

    name: Annotated[str, Meta(min_length=1, max_length=MAX_NAME_CHARACTERS)]
    scope: Scope
    buckets: list[str] = []
    expires: Timestamp | None = None
    envelope: bool = False
    tenant: Annotated[
        TenantName | None,
        Meta(description="whose data it opens, where several people share a database; your own by itself"),
    ] = None


class KeyRotation(Struct, frozen=True, kw_only=True):
    """How long the old key still opens the door, so that whoever uses it can be given the new one."""

    grace_s: Annotated[int, Meta(ge=0, le=_LONGEST_GRACE_S)] = 0


class KeyView(Struct, frozen=True, kw_only=True):
    """What is known of a key. `is_active` says whether it opens anything now.

    `tenant` is there where it opens the data of somebody by name.
    """

    id: KeyId
    name: str
    scope: Scope
    buckets: list[str]
    envelope: bool
    is_active: bool
    created: Timestamp
    expires: Timestamp | None
    revoked: Timestamp | None
    last_used: Timestamp | None
    last_address: str | None
    tenant: str | UnsetType = UNSET


class MadeKey(KeyView, frozen=True, kw_only=True):
    """A new key with its text, which is told here and never again."""

    key: str


_new_key = msgspec.json.Decoder(NewKey)
_rotation = msgspec.json.Decoder(KeyRotation)


async def list_keys(call: Call) -> None:
    """In order of creation, those that are revoked or expired too. The keys themselves are kept nowhere.

    Where several people share a database, a key of one of them lists that person's keys alone.
    """
    await call.tenant.trail.flush()  # so that the last use is told as it is now
    seen = call.server.gate.keyring.all(tenant=call.caller.tenant)
    call.answer_value([view_of_key(key, now=call.server.clock()) for key in seen])


async def create_key(call: Call) -> None:
    """The answer holds the key itself: keep it, it is never shown again.

    `append` may create its buckets, send heartbeats and insert events; `read` may read and query; `full` may do
    everything. A key with buckets is for those alone. With `envelope` it may also send enveloped calls. On PostgreSQL,
    `tenant` has it open the data of that person; only whoever looks after the server may name another one.
    """
    new = decode_body(await call.json_body(), _new_key)
    check_bucket_names(new.buckets)
    tenant = _tenant(call, new.tenant)
    key, text = await call.server.gate.keyring.create(
        call.access,
        name=new.name,
        scope=new.scope,
        buckets=tuple(new.buckets),
        expires=_expiry(new.expires, now=call.server.clock()),
        is_enveloped=new.envelope,
        tenant=tenant,
    )
    call.response.status = falcon.HTTP_201
    call.answer_value(_made(key, text, now=call.server.clock()))


async def revoke_key(call: Call) -> None:
    """From now on it opens nothing, and browsers that signed in with it are signed out. It stays in the list."""
    tenant = call.caller.tenant
    key = await call.server.gate.keyring.revoke(call.access, call.params["key_id"], tenant=tenant)
    call.answer_value(view_of_key(key, now=call.server.clock()))


async def rotate_key(call: Call) -> None:
    """A new key of the same name, scope and buckets takes the place of the old one, at once or after `grace_s`.

    A lifetime begins anew. The answer holds the key itself: keep it, it is never shown again.
    """
    rotation = decode_body(await call.json_body(), _rotation)
    key, text = await call.server.gate.keyring.rotate(
        call.access, call.params["key_id"], grace=rotation.grace_s * SECOND, tenant=call.caller.tenant
    )
    call.response.status = falcon.HTTP_201
    call.answer_value(_made(key, text, now=call.server.clock()))


def view_of_key(key: AccessKey, *, now: Microseconds) -> KeyView:
    """A key in the form that goes over the wire."""
    return KeyView(
        id=key.id,
        name=key.name,
        scope=key.scope,
        buckets=list(key.buckets),
        envelope=key.envelope_key is not None,
        is_active=key.is_active(now),
        created=format_timestamp(key.created),
        expires=_formatted(key.expires),
        revoked=_formatted(key.revoked),
        last_used=_formatted(key.last_used),
        last_address=key.last_address,
        tenant=key.tenant or UNSET,
    )


def _tenant(call: Call, named: str | None) -> str:
    """Whose data a new key is to open. Raises Forbidden."""
    own = call.caller.tenant
    if named is None or named == own:
        return own
    if own:
        raise Forbidden(
            f"the key is for the data of {own!r}, and makes keys for nobody else",
            hint="whoever looks after the server can: dayline keys create --tenant",
        )
    return named


def _made(key: AccessKey, text: str, *, now: Microseconds) -> MadeKey:
    return MadeKey(**msgspec.structs.asdict(view_of_key(key, now=now)), key=text)


def _formatted(moment: Microseconds | None) -> Timestamp | None:
    return None if moment is None else format_timestamp(moment)


def _expiry(text: Timestamp | None, *, now: Microseconds) -> Microseconds | None:
    if text is None:
        return None
    try:
        expires = parse_timestamp(text)
    except ValueError as error:
        raise Invalid(f"expires: {error}", field="expires") from error
    if expires <= now:
        raise Invalid(f"expires: {text} is over already", field="expires")
    return expires


# `/api/1/audit`: who has called, and what they did.


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
    await call.tenant.trail.flush()
    entries = await in_thread(call.access.audit, which)
    names = {key.id: key.name for key in call.server.gate.keyring.all(tenant=call.caller.tenant)}
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
