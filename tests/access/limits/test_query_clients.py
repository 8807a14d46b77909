"""Which callers share one line for query processes."""

import pytest

from dayline.api.http.call import query_client
from dayline.model.access import OPEN, Caller

KEY = Caller(kind="key", scope="read", key_id="aaaaaaaa")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((KEY, "192.168.1.7", "curl"), (KEY, "192.168.1.8", "python")),
        ((OPEN, "192.168.1.7", "curl"), (OPEN, "192.168.1.7", "python")),
    ],
    ids=["one key with many addresses and names", "one address with many names"],
)
def test_one_caller_cannot_have_several_lines(one: tuple[Caller, str, str], other: tuple[Caller, str, str]) -> None:
    assert query_client(*one) == query_client(*other)


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "unix"])
def test_programs_on_this_machine_have_lines_of_their_own(address: str) -> None:
    assert query_client(OPEN, address, "curl") != query_client(OPEN, address, "Firefox")


def test_keys_have_lines_of_their_own() -> None:
    other = Caller(kind="key", scope="read", key_id="bbbbbbbb")

    assert query_client(KEY, "127.0.0.1", "curl") != query_client(other, "127.0.0.1", "curl")
