"""Tells systemd what the service is doing, where there is one to tell."""

import os
import socket


def notify(state: str) -> None:
    """Send `READY=1` or the like to the socket that systemd names; without one, do nothing."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address or not hasattr(socket, "AF_UNIX"):
        return
    if address.startswith("@"):
        address = f"\0{address[1:]}"  # a name in the abstract namespace
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect(address)
            sock.sendall(state.encode())
        except OSError:
            return  # a supervisor that does not listen is no reason to stop
