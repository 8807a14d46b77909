"""What query processes keep between queries."""

from msgspec import Struct

from dayline.storage.columns.cache import ColumnCache


class Thing(Struct, frozen=True, eq=False):
    """Something of this many bytes."""

    nbytes: int


class Sharing(Struct, frozen=True, eq=False):
    """Something of this many bytes that holds other things together with its like."""

    nbytes: int
    shares: tuple[Thing, ...]


def kept(cache: ColumnCache, *keys: str) -> list[str]:
    return [key for key in keys if cache.get(key, Sharing) is not None or cache.get(key, Thing) is not None]


def test_what_was_not_used_for_the_longest_time_goes_first() -> None:
    cache = ColumnCache(25)
    for key in "abc":
        cache.put(key, Thing(10))
    cache.get("a", Thing)

    cache.trim()

    assert kept(cache, "a", "b", "c") == ["a", "c"]


def test_what_several_share_is_counted_once() -> None:
    cache, texts = ColumnCache(30), Thing(20)
    for key in "abc":
        cache.put(key, Sharing(3, (texts,)))

    cache.trim()

    assert kept(cache, "a", "b", "c") == ["a", "b", "c"]


def test_what_is_shared_goes_with_the_last_that_holds_it() -> None:
    cache, texts = ColumnCache(30), Thing(20)
    cache.put("old", Sharing(3, (texts,)))
    cache.put("older texts", Sharing(3, (Thing(20), texts)))
    cache.put("new", Sharing(3, (texts,)))

    cache.trim()

    assert kept(cache, "old", "older texts", "new") == ["new"]


def test_one_that_shares_too_much_is_not_kept() -> None:
    cache = ColumnCache(30)
    cache.put("a", Sharing(3, (Thing(40),)))

    cache.trim()

    assert kept(cache, "a") == []
