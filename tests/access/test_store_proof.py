"""A server proves to the holder of its token which store it serves."""

import msgspec
import pytest

from dayline.access.local_users import endpoint_text, proof_of
from dayline.cli.calls.call import LocalEndpoint, token_file
from tests.support.server import RunningServer

PROOF = "/api/1/server/proof"
NONCE = "0123456789abcdef" * 2


def test_proof_is_of_the_token_the_store_and_the_nonce(shared_server: RunningServer) -> None:
    endpoint = msgspec.json.decode(token_file(shared_server.database).read_bytes(), type=LocalEndpoint)

    proof = shared_server.get(f"{PROOF}?nonce={NONCE}").json["proof"]

    address = endpoint_text("127.0.0.1", shared_server.port)
    assert proof == proof_of(endpoint.token, store=endpoint.store, nonce=NONCE, address=address)
    assert proof != shared_server.get(f"{PROOF}?nonce={NONCE}0").json["proof"]
    assert proof != proof_of(endpoint.token, store="", nonce=NONCE, address=address)


@pytest.mark.parametrize("nonce", ["", "0" * 31, "0" * 129, "g" * 32, "A" * 32, "0" * 32 + "%0A"])
def test_what_is_no_nonce_is_rejected(shared_server: RunningServer, nonce: str) -> None:
    answer = shared_server.get(f"{PROOF}?nonce={nonce}")

    assert (answer.status, answer.json["field"]) == (400, "nonce")
