"""`/api/1/keys`: make, list, revoke and rotate."""

from typing import Annotated

import falcon
import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.api.call import Call
from dayline.model.errors import Forbidden, Invalid
from dayline.model.keys import MAX_NAME_CHARACTERS, AccessKey, KeyId, Scope, TenantName, check_bucket_names
from dayline.model.timestamps import SECOND, Microseconds, Timestamp, format_timestamp, parse_timestamp
from dayline.model.wire import decode_body

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
    await call.services.trail.flush()  # so that the last use is told as it is now
    seen = call.services.gate.keyring.all(tenant=call.caller.tenant)
    call.answer_value([view_of_key(key, now=call.services.clock()) for key in seen])


async def create_key(call: Call) -> None:
    """The answer holds the key itself: keep it, it is never shown again.

    `append` may create its buckets, send heartbeats and insert events; `read` may read and query; `full` may do
    everything. A key with buckets is for those alone. With `envelope` it may also send enveloped calls. On PostgreSQL,
    `tenant` has it open the data of that person; only whoever looks after the server may name another one.
    """
    new = decode_body(await call.json_body(), _new_key)
    check_bucket_names(new.buckets)
    tenant = _tenant(call, new.tenant)
    key, text = await call.services.gate.keyring.create(
        call.access,
        name=new.name,
        scope=new.scope,
        buckets=tuple(new.buckets),
        expires=_expiry(new.expires, now=call.services.clock()),
        is_enveloped=new.envelope,
        tenant=tenant,
    )
    call.response.status = falcon.HTTP_201
    call.answer_value(_made(key, text, now=call.services.clock()))


async def revoke_key(call: Call) -> None:
    """From now on it opens nothing, and browsers that signed in with it are signed out. It stays in the list."""
    tenant = call.caller.tenant
    key = await call.services.gate.keyring.revoke(call.access, call.params["key_id"], tenant=tenant)
    call.answer_value(view_of_key(key, now=call.services.clock()))


async def rotate_key(call: Call) -> None:
    """A new key of the same name, scope and buckets takes the place of the old one, at once or after `grace_s`.

    A lifetime begins anew. The answer holds the key itself: keep it, it is never shown again.
    """
    rotation = decode_body(await call.json_body(), _rotation)
    key, text = await call.services.gate.keyring.rotate(
        call.access, call.params["key_id"], grace=rotation.grace_s * SECOND, tenant=call.caller.tenant
    )
    call.response.status = falcon.HTTP_201
    call.answer_value(_made(key, text, now=call.services.clock()))


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
