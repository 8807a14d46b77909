"""How keys look, when a text is that of a key, and which buckets a key is for."""

import inspect
import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from dayline.model.access import (
    AccessKey,
    BucketNames,
    check_bucket_names,
    digest_of,
    key_id_of,
    new_key_text,
    new_salt,
)
from dayline.model.errors import Invalid

NOW = 1_800_000_000_000_000
SECRET = "AZaz09_-" * 5 + "xyz"
TEXT = f"dayline_k3f5a2bq_{SECRET}"

# Few letters, so that names and patterns meet; a newline, and what means something in other pattern languages.
letters = st.text("ab.*?[]\\\n", max_size=8)


def key_of(text: str) -> AccessKey:
    salt = new_salt()
    return AccessKey(
        id="k3f5a2bq", name="test", scope="read", buckets=(), created=NOW, salt=salt, digest=digest_of(salt, text)
    )


def test_a_key_is_active_until_the_moment_at_which_it_expires() -> None:
    key = replace(key_of(TEXT), expires=NOW + 1)

    assert key.is_active(NOW)
    assert not key.is_active(NOW + 1)
    assert not replace(key, revoked=NOW).is_active(NOW)


def test_new_key_has_a_known_beginning_an_id_and_a_secret_of_32_bytes() -> None:
    text = new_key_text()

    assert re.fullmatch(r"dayline_[a-z2-7]{8}_[A-Za-z0-9_-]{43}", text)
    assert key_id_of(text) == text[8:16]


def test_no_two_new_keys_are_alike() -> None:
    texts = {new_key_text() for _ in range(1000)}

    assert len({text[:16] for text in texts}) == len({text[17:] for text in texts}) == 1000


@pytest.mark.parametrize(
    "text",
    [
        "",
        "dayline_",
        TEXT[:-1],
        f"{TEXT}x",
        f" {TEXT}",
        f"{TEXT}\n",
        TEXT.upper(),
        TEXT.replace("dayline", "Dayline"),
        TEXT.replace("k3f5", "k1f5"),  # 1 is not in the alphabet of ids
        TEXT.replace("k3f5", "K3f5"),
        TEXT.replace("AZ", "A+"),
        TEXT.replace("AZ", "A="),
        TEXT.replace("AZ", "AÄ"),
        TEXT.replace("_k3f5a2bq_", "-k3f5a2bq-"),
        "dayline_k3f5a2bq",
    ],
)
def test_other_texts_are_no_keys(text: str) -> None:
    assert key_id_of(TEXT) == "k3f5a2bq"
    assert key_id_of(text) is None


@given(st.text(max_size=80))
def test_any_text_can_be_asked_about(text: str) -> None:
    assert key_id_of(text) is None
    assert not key_of(TEXT).fits(text)


def test_key_fits_its_own_text_and_no_near_miss() -> None:
    key = key_of(TEXT)

    assert key.fits(TEXT)
    for place in range(len(TEXT)):
        near = f"{TEXT[:place]}{'b' if TEXT[place] != 'b' else 'c'}{TEXT[place + 1 :]}"
        assert not key.fits(near)
    for near in (TEXT[:-1], f"{TEXT}A", TEXT[1:], TEXT.swapcase(), ""):
        assert not key.fits(near)


def test_comparison_takes_as_long_for_a_near_miss_as_for_a_far_one() -> None:
    # Time cannot be asserted on a busy machine; what decides can. And it compares digests, which no one can choose.
    body = inspect.getsource(AccessKey.fits).partition('"""')[2].rpartition('"""')[2].strip()

    assert body == "return secrets.compare_digest(digest_of(self.salt, text), self.digest)"


def test_same_text_has_another_digest_with_another_salt() -> None:
    one, other = new_salt(), new_salt()

    assert one != other
    assert digest_of(one, TEXT) != digest_of(other, TEXT)
    assert digest_of(one, TEXT) == digest_of(one, TEXT)
    assert len(digest_of(one, TEXT)) == 32


def test_key_shows_nothing_of_itself_when_printed() -> None:
    key = key_of(TEXT)

    for shown in (repr(key), str(key), f"{key}"):
        assert SECRET not in shown
        assert "salt" not in shown
        assert "digest" not in shown


@pytest.mark.parametrize(
    ("expires", "revoked", "is_active"),
    [
        (None, None, True),
        (NOW + 1, None, True),
        (NOW, None, False),
        (NOW - 1, None, False),
        (None, NOW - 1, False),
        (NOW + 1, NOW - 1, False),
    ],
)
def test_key_is_active_until_it_expires_or_is_revoked(
    expires: int | None, revoked: int | None, is_active: bool
) -> None:
    key = AccessKey(
        id="k3f5a2bq", name="", scope="read", buckets=(), created=0, salt=b"", digest=b"", expires=expires,
        revoked=revoked,
    )  # fmt: skip

    assert key.is_active(NOW) is is_active


def test_no_names_at_all_are_all_buckets() -> None:
    assert BucketNames().is_all
    assert "anything" in BucketNames()
    assert "" in BucketNames()


@given(st.lists(letters, min_size=1, max_size=3), letters)
def test_names_mean_what_a_plain_comparison_says(names: list[str], bucket_id: str) -> None:
    found = BucketNames(names)

    assert not found.is_all
    assert (bucket_id in found) is any(is_meant(name, bucket_id) for name in names)


@given(letters, st.lists(letters, min_size=1, max_size=4))
def test_star_matches_any_characters_or_none(filling: str, parts: list[str]) -> None:
    name = "*".join(parts)

    assert filling.join(parts) in BucketNames([name])
    assert "".join(parts) in BucketNames([name])


@given(letters, letters)
def test_name_without_a_star_is_that_bucket_alone(name: str, bucket_id: str) -> None:
    assume("*" not in name)

    assert (bucket_id in BucketNames([name])) is (bucket_id == name)


def test_many_stars_do_not_take_long() -> None:
    assert "a" * 500 not in BucketNames(["*a" * 12 + "b"])


@pytest.mark.parametrize("names", [[""], ["a", ""], ["a\0"], ["*\0*"]])
def test_names_that_no_bucket_can_have_are_rejected(names: list[str]) -> None:
    with pytest.raises(Invalid) as raised:
        check_bucket_names(names)

    assert raised.value.field == "buckets"


@pytest.mark.parametrize("names", [[], ["a"], ["*"], ["a b/c%", "ü*", "**"]])
def test_all_other_names_are_taken(names: list[str]) -> None:
    check_bucket_names(names)


def is_meant(name: str, bucket_id: str) -> bool:
    """The same by trying every way to cut the id: slow, and plain."""
    if not name:
        return not bucket_id
    if name[0] == "*":
        return any(is_meant(name[1:], bucket_id[cut:]) for cut in range(len(bucket_id) + 1))
    return bucket_id[:1] == name[0] and is_meant(name[1:], bucket_id[1:])
