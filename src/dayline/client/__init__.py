"""A client for programs: `Client` calls a server, `Watcher` records what happens on this computer."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dayline.client.client import Client
    from dayline.client.types import ClientEvent
    from dayline.client.watcher import Watcher

__all__ = ["Client", "ClientEvent", "Watcher"]


def __getattr__(name: str) -> Any:
    # At first use, because a command that needs one module of the package starts quicker without the others.
    from importlib import import_module

    modules = {"Client": "client", "ClientEvent": "types", "Watcher": "watcher"}
    if name not in modules:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{modules[name]}"), name)
