"""uvicorn's inner methods, which are no public interface: a new version that changes one of them must be looked at."""

import hashlib
import inspect
from types import FunctionType
from typing import Final

import pytest
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from dayline.api.http.connection import Connection
from dayline.api.http.fast_path import FastPathProtocol
from dayline.api.http.server import Server

# What our subclasses override, and in addition what they call or rely on.
RELIED_ON: Final = {
    HttpToolsProtocol: {
        "connection_lost",
        "connection_made",
        "on_header",
        "on_response_complete",
        "on_url",
        "_start_asgi_task",
        "_unset_keepalive_if_required",
    },
    uvicorn.Server: {"_serve", "_wait_tasks_to_complete", "serve", "shutdown"},
    RequestResponseCycle: {"receive", "run_asgi", "send"},
}
SUBCLASSES_OF: Final[dict[type, tuple[type, ...]]] = {
    HttpToolsProtocol: (Connection, FastPathProtocol),
    uvicorn.Server: (Server,),
}

# Of each method, as it was when connection.py, fast_path.py and server.py in api/http were written against it.
KNOWN: Final[dict[str, str]] = {
    "HttpToolsProtocol.__init__": "4f08999410347141",
    "HttpToolsProtocol._start_asgi_task": "9c08c2571ae9b038",
    "HttpToolsProtocol._unset_keepalive_if_required": "00a6a4e47214e68e",
    "HttpToolsProtocol.connection_lost": "c91a4c9bf2e29c55",
    "HttpToolsProtocol.connection_made": "6efb565ff3d36b91",
    "HttpToolsProtocol.data_received": "010a7ae59a5d3b1a",
    "HttpToolsProtocol.on_body": "dba9c32aeba35b6a",
    "HttpToolsProtocol.on_header": "65d62c044f61fdbd",
    "HttpToolsProtocol.on_headers_complete": "1ea8589acfad92d8",
    "HttpToolsProtocol.on_message_begin": "96d377fdc7c2baef",
    "HttpToolsProtocol.on_message_complete": "1fbad42dc31fc01f",
    "HttpToolsProtocol.on_response_complete": "64e254f28e389e76",
    "HttpToolsProtocol.on_url": "37be44e962b04ca8",
    "HttpToolsProtocol.send_400_response": "ae5a4a3782b646fd",
    "HttpToolsProtocol.shutdown": "d7351fa33f00d430",
    "Server.__init__": "c150b55284f7511e",
    "Server._serve": "4575b7a50adfede8",
    "Server._wait_tasks_to_complete": "17209be1e991445d",
    "Server.capture_signals": "e1bbcd4770d1c887",
    "Server.main_loop": "afccb353a119333f",
    "Server.serve": "112ef41af52167e3",
    "Server.shutdown": "9b33c50562992b1e",
    "Server.startup": "2aa1d70a244bfcf2",
    "RequestResponseCycle.receive": "8124ae006be71184",
    "RequestResponseCycle.run_asgi": "0f33f2449a444bc2",
    "RequestResponseCycle.send": "abdd8601b326a8da",
}


def methods_of(kind: type) -> dict[str, str]:
    """The methods of a class that matter to us, each with a hash of its source."""
    overridden = [name for ours in SUBCLASSES_OF.get(kind, ()) for name in vars(ours) if is_method(kind, name)]
    return {f"{kind.__name__}.{name}": hash_of(kind, name) for name in sorted({*overridden, *RELIED_ON[kind]})}


def is_method(kind: type, name: str) -> bool:
    return isinstance(vars(kind).get(name), FunctionType)


def hash_of(kind: type, name: str) -> str:
    # Without comments it would be kinder, but a comment that changes is worth a look, too.
    return hashlib.sha256(inspect.getsource(inspect.unwrap(vars(kind)[name])).encode()).hexdigest()[:16]


@pytest.mark.parametrize("kind", RELIED_ON)
def test_the_methods_that_we_build_on_are_those_that_we_know(kind: type) -> None:
    found = methods_of(kind)
    changed = {name: digest for name, digest in found.items() if KNOWN.get(name) != digest}

    assert changed == {}, (
        f"uvicorn {uvicorn.__version__} differs in these methods from what connection.py, fast_path.py and server.py "
        "were written against, or these override more than before. Read them in the installed uvicorn, compare with "
        "the version before, look at what ours do in their place (draining, pipelining, keep-alive, time-outs), then "
        "note the new hashes here."
    )


def test_no_method_is_noted_that_we_no_longer_build_on() -> None:
    assert KNOWN.keys() == {name for kind in RELIED_ON for name in methods_of(kind)}
