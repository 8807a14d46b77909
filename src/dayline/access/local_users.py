"""The local user of a connection on this computer, and the token of our own commands.

Only Linux reports the user of a TCP connection. On other systems every local user is accepted; use keys to restrict
them.
"""

import hmac
import logging
import os
import re
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, TypeAlias

from dayline.access.peers import parse_address
from dayline.model.errors import Invalid
from dayline.runtime.machine import is_in_container

# The token of the owner's commands, and the proof that a server issued it.
#
# A server writes its token to a file that only its owner can read. A command sends the token only to a server that has
# proved that it knows it: after a crash the file remains, and another program may listen on the port. The prefix
# differs from that of keys, which have an id of eight characters here, so that a server can distinguish an old token
# from a key.
_PREFIX: Final = "dayline_local_"
_TOKEN_BYTES: Final = 32


def new_local_token() -> str:
    """A token for one run of the server."""
    return f"{_PREFIX}{os.urandom(_TOKEN_BYTES).hex()}"


def is_local_token(text: str) -> bool:
    """Whether this is a local token, of this or another run."""
    return text.startswith(_PREFIX)


def proof_of(token: str, *, store: str, nonce: str, address: str) -> str:
    """An HMAC that only the holder of the token can compute, for this store, nonce and server address.

    `address` is `endpoint_text` of the end of the connection at the server. A program that passes the nonce on to the
    real server gets a proof for another address than its own.
    """
    return hmac.digest(token.encode(), f"dayline store proof v2\0{store}\0{nonce}\0{address}".encode(), "sha256").hex()


def endpoint_text(host: str, port: int) -> str:
    """One end of a TCP connection, spelled the same by both ends."""
    return f"{parse_address(host) or host} port {port}"


OtherUsers: TypeAlias = Literal["allow", "refuse"]
Endpoint: TypeAlias = tuple[str, int]  # address and port of one end of a connection
Lookup: TypeAlias = Callable[[Endpoint, Endpoint], int | None]

log = logging.getLogger("dayline")

ROOT: Final = 0
_DEFAULT_UID_MIN: Final = 1000  # first uid of login users, if /etc/login.defs has none
_SYSTEM_UIDS: Final = (range(61184, 65520), range(65534, 65536))  # systemd's dynamic users, and the overflow user


class PeerUser:
    """The local user at `peer`, looked up at most once, when it is first needed: that does not change."""

    def __init__(self, lookup: Lookup | None, peer: Endpoint | None, local: Endpoint | None) -> None:
        self._lookup = lookup
        self._ends = None if peer is None or local is None else (peer, local)

    def uid(self) -> int | None:
        """None for a user of another computer, and if the user is unknown."""
        return self._uid

    @cached_property
    def _uid(self) -> int | None:
        if self._ends is None or self._lookup is None or not _is_here(*self._ends):
            return None
        return self._lookup(*self._ends)


def _is_here(peer: Endpoint, local: Endpoint) -> bool:
    """Whether both ends are on this computer."""
    first, second = parse_address(peer[0]), parse_address(local[0])
    return first is not None and (first.is_loopback or first == second)


class LocalUsers:
    """Accepts the user `uid` and root, and rejects all others."""

    def __init__(self, uid: int) -> None:
        self._served = (uid, ROOT)

    def refusal(self, uid: int | None) -> str | None:
        """Why a user is rejected; None if the user is accepted.

        An unknown user is rejected: any user can send a request and close the connection at once.
        """
        if uid in self._served:
            return None
        user = "an unknown user" if uid is None else user_name(uid)
        served = " and ".join(user_name(served) for served in dict.fromkeys(self._served))
        return f"{user} has no access: only {served} may use this server"


def user_lookup() -> Lookup | None:
    """How this system reports the user of a connection; None if it does not."""
    uid = own_uid()
    return next((lookup for lookup in (netlink_uid, proc_uid) if _works(lookup, uid)), None)


def own_uid() -> int:
    """The user who runs this process; that of root on Windows, which has no such numbers."""
    return ROOT if sys.platform == "win32" else os.geteuid()


def local_users(other_users: OtherUsers | None, lookup: Lookup | None) -> LocalUsers | None:
    """The users to accept by this setting; None for every user. `lookup` is that of `user_lookup`.

    Raises Invalid if others should be rejected and this system does not report the user of a connection.
    """
    uid = own_uid()
    if not refuses_others(other_users, uid=uid):
        return None
    if lookup is not None:
        return LocalUsers(uid)
    if other_users is not None:
        raise Invalid(
            'other_users = "refuse" is not supported: this system does not report the user of a connection',
            hint="require keys instead: dayline serve --require-keys",
            field="access.other_users",
        )
    if sys.platform == "linux":
        log.warning(
            "Other users of this machine can read your data: the system does not report the user of a connection"
        )
    return None


def refuses_others(
    other_users: OtherUsers | None, *, uid: int, uid_min: int | None = None, in_container: bool | None = None
) -> bool:
    """Whether to reject other users. The default is to do so if a login user runs the server outside a container."""
    if other_users is not None:
        return other_users == "refuse"
    if uid < (_login_uid_min() if uid_min is None else uid_min) or any(uid in uids for uids in _SYSTEM_UIDS):
        return False
    return not (is_in_container() if in_container is None else in_container)


def user_name(uid: int) -> str:
    """A user for messages: by name, if the system knows one."""
    if uid == ROOT:
        return "root"
    import pwd  # imported here because Windows does not have it

    try:
        return f"user {pwd.getpwuid(uid).pw_name!r} (uid {uid})"
    except KeyError:
        return f"uid {uid}"


def netlink_uid(peer: Endpoint, local: Endpoint) -> int | None:
    """The user of the socket at `peer` that is connected to `local`; None if there is none.

    The kernel finds the socket by its addresses, in about 30 µs for 1 or 400 connections.
    """
    ends = _Ends.parse(peer, local)
    if ends is None:
        return None
    try:
        with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, _NETLINK_SOCK_DIAG) as netlink:
            netlink.send(ends.diag_request())
            answer = netlink.recv(_MAX_ANSWER_BYTES, socket.MSG_DONTWAIT)  # available when `send` returns
    except OSError:
        return None
    if len(answer) < _HEADER.size + _DIAG.size or _HEADER.unpack_from(answer)[1] != _SOCK_DIAG_BY_FAMILY:
        return None
    state, uid, inode = _DIAG.unpack_from(answer, _HEADER.size)
    # If there is no such connection, the kernel returns a socket that listens on the port of the peer.
    return None if state == _LISTEN else _uid_of(uid, inode)


def proc_uid(peer: Endpoint, local: Endpoint) -> int | None:
    """The same from `/proc/net`, in tens of milliseconds, for services that may not open netlink sockets."""
    ends = _Ends.parse(peer, local)
    if ends is None:
        return None
    for _ in range(_PROC_READS):
        for table, pattern in ends.proc_patterns():
            with suppress(OSError):
                match = re.search(pattern, Path(table).read_bytes())
                if match is not None:
                    return _uid_of(int(match[1]), int(match[2]))
    return None


# Names from <linux/netlink.h> and <linux/inet_diag.h>, in native byte order.
_NETLINK_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_NLM_F_REQUEST: Final = 1
_ALL_STATES: Final = 0xFFFFFFFF
_NO_COOKIE: Final = 0xFFFFFFFF
_HEADER: Final = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence number, port
_REQUEST: Final = struct.Struct("=BBBxI4s16s16sIII")  # inet_diag_req_v2, with ports and addresses as they are sent
_DIAG: Final = struct.Struct("=xB62xII")  # inet_diag_msg: state, user and inode
_LISTEN: Final = 10  # TCP_LISTEN
_MAX_ANSWER_BYTES: Final = 8192
_PROC_READS: Final = 3  # a read can miss an entry while others are added and removed


class _Ends:
    """Both ends of a connection in the kernel's format. IPv4 stays IPv4, also for a client on an IPv6 socket."""

    def __init__(self, peer: Endpoint, local: Endpoint, addresses: tuple[bytes, bytes]) -> None:
        self._ports = (peer[1], local[1])
        self._addresses = addresses
        self._family = socket.AF_INET if len(addresses[0]) == 4 else socket.AF_INET6

    @classmethod
    def parse(cls, peer: Endpoint, local: Endpoint) -> "_Ends | None":
        first, second = parse_address(peer[0]), parse_address(local[0])
        if first is None or second is None or first.version != second.version:
            return None
        return cls(peer, local, (first.packed, second.packed))

    def diag_request(self) -> bytes:
        ports, (source, destination) = struct.pack("!HH", *self._ports), self._addresses
        body = _REQUEST.pack(
            self._family, socket.IPPROTO_TCP, 0, _ALL_STATES, ports, source, destination, 0, _NO_COOKIE, _NO_COOKIE
        )
        return _HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 0, 0) + body

    def proc_patterns(self) -> Iterator[tuple[str, bytes]]:
        if self._family == socket.AF_INET:
            yield "/proc/net/tcp", self._proc_pattern(b"")
            yield "/proc/net/tcp6", self._proc_pattern(bytes(10) + b"\xff\xff")  # clients on IPv6 sockets
        else:
            yield "/proc/net/tcp6", self._proc_pattern(b"")

    def _proc_pattern(self, prefix: bytes) -> bytes:
        ends = " ".join(
            f"{_hex_words(prefix + address)}:{port:04X}"
            for address, port in zip(self._addresses, self._ports, strict=True)
        )
        # Then: state, queues, timer, retransmissions, user, timeout, inode.
        return rf": {ends} \S+ \S+ \S+ \S+ +(\d+) +\d+ (\d+) ".encode()


def _hex_words(address: bytes) -> str:
    """An address as in `/proc/net`: words of 32 bits in native byte order."""
    return "".join(f"{word:08X}" for word in struct.unpack(f"={len(address) // 4}I", address))


def _uid_of(uid: int, inode: int) -> int | None:
    """None for a closed socket that the kernel still drains: it has no inode, and is listed as root's."""
    return uid if inode else None


def _works(lookup: Lookup, uid: int) -> bool:
    """Whether this system reports the user of a connection, tested with our own."""
    if sys.platform != "linux":
        return False
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname()) as client,
        ):
            return lookup(client.getsockname(), server.getsockname()) == uid
    except OSError:
        return False


def _login_uid_min() -> int:
    with suppress(OSError, UnicodeDecodeError):
        match = re.search(r"^UID_MIN\s+(\d+)", Path("/etc/login.defs").read_text(), re.MULTILINE)
        if match is not None:
            return int(match[1])
    return _DEFAULT_UID_MIN
