"""`/api/1/keys` and `/api/1/audit`: create, list, revoke and rotate keys; read the audit log."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.model.access import MAX_NAME_CHARACTERS, AccessKey, KeyId, Scope, TenantName, check_bucket_names
from dayline.model.audit import AuditEntry, AuditFilter, AuditLine, AuditPage
from dayline.model.errors import Forbidden, Invalid, NotFound
from dayline.model.time import SECOND, Microseconds, Timestamp, format_timestamp, optional_timestamp, parse_timestamp
from dayline.runtime.threads import in_thread

_MAX_GRACE_S = 7 * 86_400


class NewKey(Struct, frozen=True, kw_only=True):
    """A key to create. `buckets` are ids or patterns with `*`; an empty list means all buckets."""

    name: Annotated[str, Meta(min_length=1, max_length=MAX_NAME_CHARACTERS)]
    scope: Scope
    buckets: list[str] = []
    expires: Timestamp | None = None
    envelope: bool = False
    tenant: Annotated[
        TenantName | None,
        Meta(description="the tenant whose data the key opens, on PostgreSQL; default: your own"),
    ] = None


class KeyRotation(Struct, frozen=True, kw_only=True):
    """How long the old key stays valid, so that you can replace it in its clients."""

    grace_s: Annotated[int, Meta(ge=0, le=_MAX_GRACE_S)] = 0


class KeyView(Struct, frozen=True, kw_only=True):
    """A key without its secret. `is_active` is false for expired and revoked keys.

    `tenant` is set if the key opens the data of a named tenant.
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
    """A new key with its secret, which is returned only once."""

    key: str


async def list_keys(call: Call) -> None:
    """In order of creation, including revoked and expired keys. Secrets are not stored and cannot be listed.

    On a database with several tenants, a tenant's key lists only the keys of that tenant.
    """
    await call.tenant.audit_log.flush()  # so that last_used is current
    keys = call.server.gate.keyring.all(tenant=call.caller.tenant)
    call.answer_value([view_of_key(key, now=call.server.clock()) for key in keys])


async def create_key(call: Call) -> None:
    """The response contains the key's secret. Store it: it is not shown again.

    `append` may create its buckets, send heartbeats and insert events; `read` may read and query; `sync` may store the
    encrypted files of devices that sync through this server, and nothing else; `full` may do everything. A key with
    `buckets` can access only those. With `envelope` it may also send enveloped calls. On PostgreSQL, `tenant` names the
    tenant whose data the key opens; only an administrator may name another tenant.
    """
    new = await call.decoded(NewKey)
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
    call.answer_value(_with_secret(key, text, now=call.server.clock()), status=201)


async def revoke_key(call: Call) -> None:
    """The key stops working at once, and browsers that signed in with it are signed out. It stays in the list."""
    tenant = call.caller.tenant
    key = await call.server.gate.keyring.revoke(call.access, call.params["key_id"], tenant=tenant)
    call.answer_value(view_of_key(key, now=call.server.clock()))


async def rotate_key(call: Call) -> None:
    """Creates a key with the same name, scope and buckets, and revokes the old one now or after `grace_s`.

    A limited lifetime starts again. The response contains the key's secret. Store it: it is not shown again.
    """
    rotation = await call.decoded(KeyRotation)
    key, text = await call.server.gate.keyring.rotate(
        call.access, call.params["key_id"], grace=rotation.grace_s * SECOND, tenant=call.caller.tenant
    )
    call.answer_value(_with_secret(key, text, now=call.server.clock()), status=201)


def view_of_key(key: AccessKey, *, now: Microseconds) -> KeyView:
    """A key as the API returns it."""
    return KeyView(
        id=key.id,
        name=key.name,
        scope=key.scope,
        buckets=list(key.buckets),
        envelope=key.envelope_key is not None,
        is_active=key.is_active(now),
        created=format_timestamp(key.created),
        expires=optional_timestamp(key.expires),
        revoked=optional_timestamp(key.revoked),
        last_used=optional_timestamp(key.last_used),
        last_address=key.last_address,
        tenant=key.tenant or UNSET,
    )


def _tenant(call: Call, named: str | None) -> str:
    """The tenant whose data a new key opens. Raises Forbidden if the caller may not create keys for it."""
    own = call.caller.tenant
    if named is None or named == own:
        return own
    if own:
        raise Forbidden(
            f"this key belongs to tenant {own!r} and cannot create keys for tenant {named!r}",
            hint="use a key without a tenant",
        )
    return named


def _with_secret(key: AccessKey, text: str, *, now: Microseconds) -> MadeKey:
    return MadeKey(**msgspec.structs.asdict(view_of_key(key, now=now)), key=text)


def _expiry(text: Timestamp | None, *, now: Microseconds) -> Microseconds | None:
    if text is None:
        return None
    try:
        expires = parse_timestamp(text)
    except ValueError as error:
        raise Invalid(f"expires: {error}", field="expires") from error
    if expires <= now:
        raise Invalid(f"expires: {text} is in the past", field="expires")
    return expires


async def get_audit(call: Call) -> None:
    """Reads and writes are counted per day, caller, address, call, bucket and status; rejected calls per hour.

    Each destructive call has its own line.
    """
    limit = call.page_limit()
    which = AuditFilter(
        before=call.number("cursor"),
        key_id=call.request.get_param("key"),
        bucket=call.request.get_param("bucket"),
        call=call.request.get_param("call"),
        address=call.request.get_param("address"),
        is_refused=call.request.get_param("refused", default="") in ("1", "true"),
        since=call.time("since"),
        until=call.time("until"),
        limit=limit,
    )
    await call.tenant.audit_log.flush()
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


_NEW_KEY = {"name": "laptop-watcher", "scope": "append", "buckets": ["aw-watcher-*_laptop"]}
_AUDIT = (
    Parameter(name="cursor", type=Annotated[int, Meta(ge=1)], description="the `cursor` of the previous page"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="max lines; default: 100"),
    Parameter(name="key", type=str, description="only calls with the key of this id"),
    Parameter(name="bucket", type=str, description="only calls on this bucket"),
    Parameter(name="call", type=str, description="only this call, by its `operationId` in the OpenAPI document"),
    Parameter(name="address", type=str, description="only calls from this address"),
    Parameter(name="refused", type=bool, description="only rejected calls"),
    Parameter(name="since", type=Timestamp, description="only lines that end after this time"),
    Parameter(name="until", type=Timestamp, description="only lines that begin before this time"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/keys", handler=list_keys, tag="keys", scope="full", audience="all buckets",
        summary="List the keys", answer=Answer(type=list[KeyView], description="the keys without their secrets"),
    ),
    Route(
        method="POST", path="/api/1/keys", handler=create_key, tag="keys", scope="full", audience="all buckets",
        is_destructive=True, summary="Create a key", body=Body(type=NewKey, example=_NEW_KEY),
        answer=Answer(type=MadeKey, description="the key with its secret", status=201),
    ),
    Route(
        method="DELETE", path="/api/1/keys/{key_id}", handler=revoke_key, tag="keys", scope="full",
        audience="all buckets", is_destructive=True, summary="Revoke a key",
        answer=Answer(type=KeyView, description="the revoked key"), errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/1/keys/{key_id}/rotate", handler=rotate_key, tag="keys", scope="full",
        audience="all buckets", is_destructive=True, summary="Rotate a key",
        body=Body(type=KeyRotation, example={"grace_s": 3600}),
        answer=Answer(type=MadeKey, description="the new key with its secret", status=201), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/1/audit", handler=get_audit, tag="keys", scope="full", audience="all buckets",
        summary="Read the audit log", parameters=_AUDIT,
        answer=Answer(type=AuditPage, description="a page of the audit log"),
    ),
)  # fmt: skip
