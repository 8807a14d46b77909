"""Generations of the key of a space. A device that is removed does not get the next one.

A key file has the next key, encrypted for each device that remains (RFC 7516: ECDH-ES over X25519). It is signed by the
device that made it, and encrypted with the key that it replaces, so that the storage learns nothing. Every device uses
the newest key; it keeps the former ones, to read what was published with them.
"""

import secrets
from collections.abc import Collection
from contextlib import suppress
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct, structs

from dayline.envelope.jwe import EnvelopeError, header_of, seal, unseal
from dayline.maintenance.sync.keys import (
    KEY_BYTES,
    InvalidSignature,
    SpaceKey,
    from_text,
    new_space_key,
    short_id,
    signed_payload,
    to_text,
)
from dayline.maintenance.sync.spaces.protocol import GENERATION, KEYS, Listing, Space
from dayline.maintenance.sync.state import SyncState
from dayline.model.errors import Conflict
from dayline.model.time import Microseconds

MAX_KEY_FILE_BYTES: Final = 1 << 20
_MAX_STEP: Final = 1000  # two devices that replace a key at the same time do not write the same file
_FORMAT: Final = "dayline-sync-keys"
_ALGORITHMS: Final = ["ECDH-ES", "A256GCM"]


class KeyFileRejected(Exception):
    """A key file that this device must not use; the message says why."""


class LeftOut(Exception):
    """This device does not have the newest key; the message says why, and `hint` how it gets it."""

    def __init__(self, message: str, *, hint: str, is_removed: bool = False) -> None:
        super().__init__(message)
        self.hint = hint
        self.is_removed = is_removed


class KeyFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The next key of a space. `key` is the public key of the device that made the file, and `name` its name.

    `removed` has all devices that were ever removed, each with the name of the one that did it.
    """

    format: Literal["dayline-sync-keys"] = _FORMAT
    version: Literal[1] = 1
    generation: Annotated[int, Meta(ge=2, le=10**9 - 1)]
    space: str
    key: str
    name: str
    made: int
    removed: dict[str, str]
    keys: dict[str, str]

    @property
    def device(self) -> str:
        return short_id(from_text(self.key))


def next_generation(state: SyncState, removed: dict[str, str], *, now: Microseconds) -> tuple[int, bytes]:
    """The number and the content of a key file that all devices but the removed ones can read. Raises Conflict."""
    number = max(state.generation, *state.key_files, 1) + 1 + secrets.randbelow(_MAX_STEP)
    if number >= 10**9:
        raise Conflict("this space has had too many keys", hint="start a new one: dayline sync leave")
    key, everyone = new_space_key(number), {**state.removed, **removed}
    exchange = {device: peer.exchange for device, peer in state.peers.items() if device not in everyone}
    exchange[state.device] = to_text(state.exchange_key.public)
    file = KeyFile(
        generation=number,
        space=key.space_id,
        key=to_text(state.signing_key.public),
        name=state.name,
        made=now,
        removed=everyone,
        keys={device: _encrypted(key.secret, public) for device, public in exchange.items()},
    )
    signed = state.signing_key.signed(msgspec.json.encode(file))
    return number, seal(signed, state.space_key.for_keys, kid=str(state.generation))


def with_key_files(space: Space, state: SyncState, names: Collection[str]) -> tuple[SyncState, list[str]]:
    """The state with all keys in the space, and warnings about files that cannot be used. Raises LeftOut."""
    known, warnings = {state.generation, *state.former}, list[str]()
    for number in sorted(int(name) for name in names if GENERATION.fullmatch(name)):
        if number in known or number < state.first_generation:
            continue
        file = _content(space, number)
        if file is None:
            continue  # it is not here yet
        try:
            state = _accepted(state, read_key_file(file, state, number), file)
        except KeyFileRejected as error:
            warnings.append(f"{KEYS}/{number} is ignored: {error}")
    return state, warnings


def needs_next_generation(state: SyncState) -> bool:
    """Whether a removed device has the newest key: two devices have removed others at the same time."""
    return any(device in state.removed for device in state.recipients)


def key_files(space: Space, listing: Listing) -> set[str]:
    """The names of the key files in a space."""
    return space.packs(KEYS) if listing.has_keys else set()


def is_replaced(space: Space, key: SpaceKey, names: Collection[str]) -> bool:
    """Whether a file has a key that replaces this one, which is that of an invite."""
    for name in names:
        file = _content(space, int(name)) if GENERATION.fullmatch(name) else None
        with suppress(EnvelopeError):
            if file is not None:
                unseal(file, key.for_keys)
                return True
    return False


def _content(space: Space, number: int) -> bytes | None:
    file = space.open_pack(KEYS, str(number))
    if file is None:
        return None
    with file:
        return file.read(MAX_KEY_FILE_BYTES + 1)


def read_key_file(content: bytes, state: SyncState, number: int) -> KeyFile:
    """Decrypt and verify a key file. Raises KeyFileRejected."""
    key, signed = _unsealed(content, state)

    def signer(payload: bytes) -> bytes:
        file = msgspec.json.decode(payload, type=KeyFile)
        _check_signer(state, file, follows=key)
        return from_text(file.key)

    try:
        file = msgspec.json.decode(signed_payload(signed, signer), type=KeyFile)
    except InvalidSignature as error:
        raise KeyFileRejected("its signature is invalid") from error
    except (ValueError, msgspec.DecodeError) as error:
        raise KeyFileRejected(f"it cannot be read: {error}") from error
    if file.generation != number:
        raise KeyFileRejected(f"it is that of another generation, {file.generation}")
    return file


def _unsealed(content: bytes, state: SyncState) -> tuple[SpaceKey, bytes]:
    if len(content) > MAX_KEY_FILE_BYTES:
        raise KeyFileRejected(f"it is larger than {MAX_KEY_FILE_BYTES >> 20} MiB")
    try:
        kid = header_of(content).kid
    except EnvelopeError as error:
        raise KeyFileRejected("it is damaged") from error
    for key in state.space_keys:
        if str(key.generation) == kid:
            with suppress(EnvelopeError):
                return key, unseal(content, key.for_keys)
    raise KeyFileRejected("it is damaged, of another space, or follows a key that is not here")


def _check_signer(state: SyncState, file: KeyFile, *, follows: SpaceKey) -> None:
    """Raise KeyFileRejected if the device that made the file may not replace the key of the space.

    A device that is unknown here may replace the newest key: it has that, and its head has the next one already.
    """
    if file.device == state.device:
        return
    if file.device in state.removed:
        raise KeyFileRejected(f"it was made by {file.device}, which was removed")
    peer = state.peers.get(file.device)
    if peer is None and follows.generation != state.generation:
        raise KeyFileRejected(f"it was made by {file.device}, which is unknown here")
    if peer is not None and peer.key != file.key:
        raise KeyFileRejected(f"it was made with another key than that of {peer.name}")


def _accepted(state: SyncState, file: KeyFile, content: bytes) -> SyncState:
    """The state with the key of a file. Raises KeyFileRejected, and LeftOut if it is not for this device."""
    if state.device in file.removed:
        raise LeftOut(
            f"this device was removed by {file.removed[state.device]}",
            hint="to join again: dayline sync leave, and then join with a new invite",
            is_removed=True,
        )
    if state.device not in file.keys:
        raise LeftOut(
            f"{file.name} has replaced the key of the space, and did not know this device yet",
            hint=f"show its invite with dayline sync invite, and run here: dayline sync join {state.location}",
        )
    secret = decrypted_key(file.keys[state.device], state)
    if len(secret) != KEY_BYTES or SpaceKey(secret).space_id != file.space:
        raise KeyFileRejected("its key is that of another space")
    state = structs.replace(
        state,
        removed=file.removed | state.removed,
        key_files={**state.key_files, file.generation: content.decode("ascii")},
    )
    if file.generation < state.generation:
        return structs.replace(state, former={**state.former, file.generation: to_text(secret)})
    return structs.replace(
        state,
        space_secret=to_text(secret),
        generation=file.generation,
        former={**state.former, state.generation: state.space_secret},
        recipients=sorted(file.keys),
    )


def _encrypted(secret: bytes, public: str) -> str:
    # Imported here: a server without sync must not load it.
    from joserfc import jwe
    from joserfc.jwk import OKPKey

    recipient = OKPKey.import_key({"kty": "OKP", "crv": "X25519", "x": public})
    return jwe.encrypt_compact({"alg": "ECDH-ES", "enc": "A256GCM"}, secret, recipient, algorithms=_ALGORITHMS)


def decrypted_key(message: str, state: SyncState) -> bytes:
    """The key that was encrypted for this device. Raises KeyFileRejected."""
    # Imported here: a server without sync must not load it.
    from joserfc import jwe
    from joserfc.errors import JoseError
    from joserfc.jwk import OKPKey

    exchange = state.exchange_key
    own = OKPKey.import_key(
        {"kty": "OKP", "crv": "X25519", "x": to_text(exchange.public), "d": to_text(exchange.secret)}
    )
    try:
        return jwe.decrypt_compact(message, own, algorithms=_ALGORITHMS).plaintext or b""
    except (JoseError, ValueError) as error:
        raise KeyFileRejected("its key cannot be decrypted") from error
