"""What holds for every text that may be a URL."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dayline.query.urls import domain_of, split_url
from tests.support.profile import examples

_odd = st.sampled_from(" \t\n\\/@:[]?#%.|^<>{}`'\"&=ßäИ日。\u00ad\u200d\u0301😀\x00\x7f")
_hosts = st.one_of(
    st.sampled_from(
        ["a.org", "www.a.org", "WWW.A.org", "localhost", "1.2.3.4", "0x7f.1", "[::1]", "bücher.de", "xn--a"]
    ),
    st.sampled_from(
        ["www.", "www.www.", "xn--bcher-kva.de", "a_b.org", "a..b", "-a-.org", "www.1", "a.0x1", "user@a.org"]
    ),
    st.text(st.one_of(_odd, st.sampled_from("aw1x.-")), max_size=8),
)
_schemes = st.sampled_from(
    ["http://", "https://", "HTTP://", "file://", "foo://", "about:", "http:", "data:", "ws:/", "x:/"]
)
_ports = st.sampled_from(["", "", ":", ":80", ":99999", ":x"])
_paths = st.sampled_from(["", "/", "/a/../b", "?q", "#f", "\\x", "/ä?ö#ü", "/%2e%2E/.", "/C|/.."])
_urls = st.tuples(_schemes, _hosts, _ports, _paths, st.text(_odd, max_size=4)).map("".join)
_texts = st.one_of(
    _urls, st.text(max_size=30), _schemes.flatmap(lambda scheme: st.text(max_size=12).map(scheme.__add__))
)
raws = st.one_of(_texts.map(lambda text: text.encode(errors="surrogatepass")), st.binary(max_size=20))


@settings(max_examples=examples(500))
@given(raws)
def test_the_quick_way_to_the_domain_agrees_with_the_long_one(raw: bytes) -> None:
    found = split_url(raw)

    assert domain_of(raw) == (None if found is None else found.domain)


@settings(max_examples=examples(500))
@given(raws)
def test_the_quick_way_to_all_parts_agrees_with_the_long_one(raw: bytes) -> None:
    # A blank at the start means nothing, and is not ordinary.
    assert split_url(raw) == split_url(b" " + raw)


@settings(max_examples=examples(500))
@given(raws)
def test_every_part_is_ascii_and_has_no_blank_but_in_paths_that_are_opaque(raw: bytes) -> None:
    found = split_url(raw)
    assume(found is not None)
    assert found is not None

    assert all(part.isascii() for part in (found.protocol, found.domain, found.path, found.params, found.identifier))
    assert not any(blank in part for part in (found.params, found.identifier, found.domain) for blank in b" \t\n\r")


@settings(max_examples=examples(500))
@given(raws)
def test_what_was_split_and_put_together_again_splits_the_same(raw: bytes) -> None:
    found = split_url(raw)
    assume(found is not None)
    assert found is not None
    is_opaque = not found.path.startswith(b"/")
    has_host = found.domain != found.protocol
    # Without its www a host may be something else; two slashes would begin a host; blanks at the end are not kept.
    assume(found.domain != b"" and not domain_was_cut(raw))
    assume(has_host or not found.path.startswith(b"//"))
    assume(not (is_opaque and found.path.strip(b" ") != found.path))
    authority = b"//" + found.domain if has_host else b"//" if found.protocol == b"file" else b""
    query = b"?" + found.params if found.params else b""
    fragment = b"#" + found.identifier if found.identifier else b""

    again = split_url(found.protocol + b":" + authority + found.path + query + fragment)

    assert again == found


def domain_was_cut(raw: bytes) -> bool:
    return b"www" in raw.lower().translate(None, b"\t\n\r")
