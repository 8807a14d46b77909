"""The protected header: three fields, each once, and nothing that a JWE may also say."""

import pytest

from dayline.envelope.jwe import MAX_HEADER_CHARACTERS, NotAnEnvelope
from dayline.envelope.messages import has_header, kid_of, open_call, seal_call
from tests.access.envelope.sealing import HEADER, KEYS, KID, a_call, encoded, sealed_by_hand

PLAINTEXT = b'{"method":"GET","path":"/","time":"2026-01-01T10:00:00Z","nonce":"AAECAwQFBgcICQoLDA0ODw"}'

REFUSED = {
    "zip": b'{"alg":"dir","enc":"A256GCM","kid":"k3f5a2bq","zip":"DEF"}',
    "crit": b'{"alg":"dir","enc":"A256GCM","kid":"k3f5a2bq","crit":["exp"],"exp":1}',
    "typ": b'{"alg":"dir","enc":"A256GCM","kid":"k3f5a2bq","typ":"JOSE"}',
    "jwk": b'{"alg":"dir","enc":"A256GCM","kid":"k3f5a2bq","jwk":{"kty":"oct","k":"AA"}}',
    "other alg": b'{"alg":"A256KW","enc":"A256GCM","kid":"k3f5a2bq"}',
    "alg none": b'{"alg":"none","enc":"A256GCM","kid":"k3f5a2bq"}',
    "password": b'{"alg":"PBES2-HS256+A128KW","enc":"A256GCM","kid":"k3f5a2bq","p2c":1000000,"p2s":"AA"}',
    "other enc": b'{"alg":"dir","enc":"A128GCM","kid":"k3f5a2bq"}',
    "cbc": b'{"alg":"dir","enc":"A128CBC-HS256","kid":"k3f5a2bq"}',
    "other case": b'{"alg":"DIR","enc":"A256GCM","kid":"k3f5a2bq"}',
    "no alg": b'{"enc":"A256GCM","kid":"k3f5a2bq"}',
    "no enc": b'{"alg":"dir","kid":"k3f5a2bq"}',
    "no kid": b'{"alg":"dir","enc":"A256GCM"}',
    "no alg, with blanks in its place": b'{"enc":"A256GCM","kid":"k3f5a2bq"            }',
    "empty kid": b'{"alg":"dir","enc":"A256GCM","kid":""}',
    "kid with a newline": b'{"alg":"dir","enc":"A256GCM","kid":"k3f5a2bq\\n"}',
    "kid that is a path": b'{"alg":"dir","enc":"A256GCM","kid":"../k3f9a"}',
    "kid that is a number": b'{"alg":"dir","enc":"A256GCM","kid":12345678}',
    "kid that is null": b'{"alg":"dir","enc":"A256GCM","kid":null}',
    "kid of 65": b'{"alg":"dir","enc":"A256GCM","kid":"%s"}' % (b"a" * 65),
    "kid twice": b'{"alg":"dir","enc":"A256GCM","kid":"abcdefgh","kid":"k3f5a2bq"}',
    "alg twice": b'{"alg":"dir","alg":"dir","enc":"A256GCM","kid":"k3f5a2bq"}',
    "blanks": b'{"alg": "dir", "enc": "A256GCM", "kid": "k3f5a2bq"}',
    "newline after it": b'{"alg":"dir","enc":"A256GCM","kid":"k3f5a2bq"}\n',
    "escapes": b'{"alg":"dir","enc":"A256GCM","k\\u0069d":"k3f5a2bq"}',
    "two objects": b'{"alg":"dir","enc":"A256GCM","kid":"k3f5a2bq"}{}',
    "a list": b'["dir","A256GCM","k3f5a2bq"]',
    "null": b"null",
    "nothing": b"",
    "not UTF-8": b'{"alg":"dir","enc":"A256GCM","kid":"\xff"}',
    "UTF-16": HEADER.decode().encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf" + HEADER,
    "too long": b'{"alg":"dir","enc":"A256GCM","kid":"k3f5a2bq"%s}' % (b" " * 200),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_header_is_rejected_although_the_message_is_properly_encrypted(name: str) -> None:
    message = sealed_by_hand(PLAINTEXT, KEYS.call, header=REFUSED[name])

    with pytest.raises(NotAnEnvelope):
        open_call(message, KEYS)
    with pytest.raises(NotAnEnvelope):
        kid_of(message)


@pytest.mark.parametrize(
    "header",
    [HEADER, b'{"kid":"k3f5a2bq","enc":"A256GCM","alg":"dir"}', b'{"enc":"A256GCM","kid":"k3f5a2bq","alg":"dir"}'],
)
def test_fields_may_come_in_any_order(header: bytes) -> None:
    message = sealed_by_hand(PLAINTEXT, KEYS.call, header=header)

    assert kid_of(message) == KID
    assert open_call(message, KEYS).path == "/"


def test_header_that_we_write_is_the_documented_one() -> None:
    assert seal_call(a_call(), KEYS, kid=KID).split(b".")[0] == encoded(HEADER)


@pytest.mark.parametrize(
    "message", [b"", b".", b"....", b"a.b.c", b"{}", b"\xff" * 100, encoded(HEADER) + b"....", b"." * 1000]
)
def test_what_is_not_a_message_at_all_is_rejected(message: bytes) -> None:
    with pytest.raises(NotAnEnvelope):
        open_call(message, KEYS)


def test_the_start_of_a_message_is_enough_to_know_whose_key_it_names() -> None:
    message = seal_call(a_call(), KEYS, kid=KID)
    places = [place for place in range(len(message)) if has_header(message[:place])]

    assert places == list(range(message.index(b".") + 1, len(message)))
    assert {kid_of(message[:place]) for place in places} == {KID}


def test_a_header_without_an_end_is_rejected_before_more_is_read() -> None:
    endless = b"a" * (MAX_HEADER_CHARACTERS + 1)

    assert has_header(endless)
    with pytest.raises(NotAnEnvelope):
        kid_of(endless)


def test_json_form_of_a_jwe_is_rejected() -> None:
    with pytest.raises(NotAnEnvelope):
        kid_of(b'{"protected":"%s","iv":"a.b","ciphertext":"c.d","tag":"e.f"}' % encoded(HEADER))
