"""URLs in their parts: vectors of the protocol, and of the URL standard."""

import pytest

from dayline.query.urls import UrlParts, domain_of, split_url
from tests.query.url_vectors import URL_VECTORS
from tests.support.hostile import hostile_texts, linear_time


def parts(url: str) -> UrlParts:
    found = split_url(url.encode())
    assert found is not None
    return found


@pytest.mark.parametrize(("url", "domain", "path", "params"), URL_VECTORS)
def test_the_vectors_of_the_protocol(url: str, domain: str, path: str, params: str) -> None:
    found = parts(url)

    assert (found.domain.decode(), found.path.decode(), found.params.decode()) == (domain, path, params)


def test_every_part_has_its_field() -> None:
    assert parts("HTTPS://a.org/b?c=d#e") == UrlParts(
        protocol=b"https", domain=b"a.org", path=b"/b", params=b"c=d", options=b"c=d", identifier=b"e"
    )
    assert parts("https://a.org") == UrlParts(
        protocol=b"https", domain=b"a.org", path=b"/", params=b"", options=b"", identifier=b""
    )


def test_the_domain(subtests: pytest.Subtests) -> None:
    for url, domain in [
        ("http://EXAMPLE.org", "example.org"),
        ("http://ex%41mple.org", "example.org"),
        ("http:example.org", "example.org"),
        ("http:///example.org", "example.org"),
        ("http:\\\\example.org\\x", "example.org"),
        ("  http://example.org\n", "example.org"),
        ("ht\ttp://exa\nmple.org", "example.org"),
        ("http://a@b@example.org", "example.org"),
        ("http://example.org:", "example.org"),
        ("http://example.org:0065535/", "example.org"),
        ("http://www.example.org.", "example.org."),
        ("http://www./", ""),
        ("http://wwww.example.org", "wwww.example.org"),
        ("http://localhost:3000", "localhost"),
        ("http://1.2", "1.0.0.2"),
        ("http://0x7f.1", "127.0.0.1"),
        ("http://0177.0.0.1", "127.0.0.1"),
        ("http://4294967295", "255.255.255.255"),
        ("http://1.2.3.4./", "1.2.3.4"),
        ("http://1.2.3.4.example", "1.2.3.4.example"),
        ("http://[2001:DB8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"),
        ("http://[::ffff:1.2.3.4]", "[::ffff:102:304]"),
        ("http://[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"),
        ("http://bücher.example", "xn--bcher-kva.example"),
        ("http://BÜCHER.example", "xn--bcher-kva.example"),
        ("http://bu\u0308cher.example", "xn--bcher-kva.example"),
        ("http://xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("http://xn--a", "xn--a"),  # of a domain in ASCII the standard takes every name, for the sake of the web
        ("http://XN--.example", "xn--.example"),
        ("http://faß.example", "xn--fa-hia.example"),
        ("http://日本語。jp", "xn--wgv71a119e.jp"),
        ("http://\uff45xampl\uff45\uff0eorg", "example.org"),
        ("http://exam\u00adple.org", "example.org"),
        ("http://почта.рф", "xn--80a1acny.xn--p1ai"),
        ("http://😀.example", "xn--e28h.example"),
        ("ws://example.org", "example.org"),
        ("file://server/share", "server"),
        ("file://localhost/x", "file"),
        ("file:x", "file"),
        ("data:text/plain,x", "data"),
        ("javascript:alert(1)", "javascript"),
        ("mailto:a@b.org", "mailto"),
        ("chrome-extension://AbC/x", "AbC"),
        ("chrome://newtab/", "newtab"),
        ("foo://h%C3%A4/", "h%C3%A4"),
        ("foo://hä:80/", "h%C3%A4"),
        ("foo:///x", "foo"),
        ("foo:/x", "foo"),
    ]:
        with subtests.test(url=url, domain=domain):
            assert parts(url).domain.decode() == domain
            assert domain_of(url.encode()) == domain.encode()


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://a.org/a/./b/../c", "/a/c"),
        ("http://a.org/a/b/..", "/a/"),
        ("http://a.org/a/.", "/a/"),
        ("http://a.org/../..", "/"),
        ("http://a.org/a/%2E%2e/b", "/b"),
        ("http://a.org/a\\b", "/a/b"),
        ("http://a.org//a//", "//a//"),
        ('http://a.org/ä b"<>`{}^|%20%zz', "/%C3%A4%20b%22%3C%3E%60%7B%7D%5E|%20%zz"),
        ("http://a.org?x", "/"),
        ("file:///C|/a/../../..", "/C:/"),
        ("file:C:/a", "/C:/a"),
        ("file://C:/a", "/C:/a"),
        ("foo://h", ""),
        ("foo://h/a\\..", "/a\\.."),
        ("foo:/a/../b", "/b"),
        ("foo:a/../b ä", "a/../b %C3%A4"),
    ],
)
def test_the_path(url: str, path: str) -> None:
    assert parts(url).path.decode() == path


def test_what_may_not_stand_in_a_query_or_fragment_is_encoded() -> None:
    assert parts("http://a.org/?'ä <>\"`#'ä <>\"`").params == b"%27%C3%A4%20%3C%3E%22`"
    assert parts("foo://a.org/?'ä <>\"`").params == b"'%C3%A4%20%3C%3E%22`"
    assert parts("http://a.org/?#'ä <>\"`#{}").identifier == b"'%C3%A4%20%3C%3E%22%60#{}"
    assert parts("http://a.org/?a?b#c?d").params == b"a?b"


def test_what_is_not_an_absolute_url(subtests: pytest.Subtests) -> None:
    for url in [
        "",
        "www.foo.org",
        "foo",
        "/a/b",
        "//a.org",
        "1a:b",
        "http",
        "http:",
        "http://",
        "http:///",
        "http://@",
        "http://u@",
        "http://:80",
        "http://a.org:65536",
        "http://a.org:x",
        "http://a.org:" + "9" * 5000,
        "http://a b",
        "http://a|b",
        "http://a%00b",
        "http://a%2fb",
        "http://%zz",
        "http://[::1",
        "http://[::1]x",
        "http://[::g]",
        "http://[fe80::1%25a]",
        "http://1.2.3.256",
        "http://1.2.3.4.5",
        "http://08",
        "http://0x1" + "0" * 40,
        "http://a.1",
        "http://xn--bcher-kva\u00fc",
        "http://\u0301a",
        "http://a\u200cb",
        "http://a\ue000",
        "http://\u00ad",
        "foo://a b",
        "foo://u@/",
        "foo://:80",
        "foo://a:b:c",
        "file://a b/",
        "http://a\ufffd",
    ]:
        with subtests.test(url=url):
            assert split_url(url.encode()) is None
            assert domain_of(url.encode()) is None


@hostile_texts
@pytest.mark.parametrize("start", ["http://a", "https://a.org/"])
def test_a_hostile_address_takes_linear_time(start: str, text: str) -> None:
    with linear_time():
        split_url(f"{start}{text} ".encode())
        domain_of(f"{start}{text} ".encode())
