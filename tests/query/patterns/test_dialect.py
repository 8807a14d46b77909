"""Which patterns go to RE2, and which stay with `re`."""

import pytest

from dayline.query.patterns.dialect import translate
from dayline.query.patterns.matching import expression

USUAL = (
    r"Google Docs|libreoffice|ReText",
    r"GitHub|Stack Overflow|vim|Spyder|Visual Studio Code - Insiders",
    r"\bIDE\b|vim",
    r"^Mozilla Firefox$",
    r"(?i)^(mozilla[-_ ]?)?firefox([-_ ]?(esr|nightly|beta))?(\.exe)?$",
    r"youtube\.com/watch\?v=[A-Za-z0-9_-]{11}",
    r"Pull Request #\d+",
    r"C\+\+|C#|\.NET",
    r"meet(ing)?s?\s+with\s+\w+",
    r"https?://[^/]+/issues/\d{1,5}",
    r".*\.(py|rs|ts)x?( - .+)?$",
    r"(?P<project>dayline|atlas)-\w*?",
    r"Привет|письмо|почта",
    r"\u043f\u043e\u0447\u0442\u0430",
    r"\u0430|[\u0430-\u044fё]+ — Telegram",
    r"[\[\](){}]|a{2,3}|x{,2}|\{json\}",
    r"日本語|微信|카카오톡",
    r"naïve|caf[eé]|Größe",
    r"(a+)+$",
    r"\x41\t\.",
    r"foo|",
)


def test_a_usual_rule_goes_to_re2(subtests: pytest.Subtests) -> None:
    for ignore_case in [False, True]:
        for pattern in USUAL:
            with subtests.test(ignore_case=ignore_case, pattern=pattern):
                assert expression(pattern, ignore_case=ignore_case).translation is not None


@pytest.mark.parametrize(
    ("pattern", "text", "other"),
    [
        (r"foo(?=bar)", "foobar", "foobaz"),
        (r"foo(?!bar)", "foobaz", "foobar"),
        (r"(?<=a)b", "ab", "cb"),
        (r"(?<!a)b", "cb", "ab"),
        (r"(\w)\1", "aa", "ab"),
        (r"(?P<q>['\"]).(?P=q)", "'x'", "'x\""),
        (r"(a)?b(?(1)c|d)", "abc", "ab"),
        (r"a++b", "aab", "a"),
        (r"(?>a+)b", "aab", "a"),
        (r"(?x) a b", "ab", "a b"),
        (r"(?s)a.b", "a\nb", "ab"),
        (r"(?m)^b$", "a\nb\nc", "ab"),
        (r"(?a)^\w$", "a", "é"),
        (r"(?i:a)b", "Ab", "AB"),
        (r"(?#note)a", "a", "b"),
        (r"\101", "A", "101"),
        (r"\N{KELVIN SIGN}", "\u212a", "K"),
        (r"a\Bb", "ab", "a b"),
        (r"a{201}", "a" * 201, "a" * 200),
        (r"a{150}b{51}", "a" * 150 + "b" * 51, "a" * 150 + "b" * 50),
        (r"((a{40}){40}){40}", "a" * 64_000, "a" * 63_999),
        (r"(a*)*b", "ab", "a"),
        (r"[[a]", "[", "b"),
        (r"[--a]", "a", "x"),
        ("\ud800|a", "a", "b"),
    ],
)
def test_what_re2_cannot_do_is_done_by_re(pattern: str, text: str, other: str) -> None:
    compiled = expression(pattern)

    assert compiled.translation is None
    assert compiled.search(text)
    assert not compiled.search(other)


# Before 3.11.5, `re` matches each of these wrongly; the spans are those of later versions.
@pytest.mark.parametrize(
    ("pattern", "text", "span"),
    [
        (r"(?:a+.)?+[ab]*?", "a", (0, 0)),
        (r"(?:.*?a)?+", "bcbcccc", (0, 0)),
        (r"(?:c+c.)*+c", "bccbcc", (1, 5)),
        (r"(?:a(?:[^a]|a))?+", "a", (0, 0)),
        (r"(?:(?:a*?b)++)?", "bba", (0, 2)),
        (r"(?:.b?+.?b){0,2}+a", "ac", (0, 1)),
        (r"(?:[bc]+a++)*+c", "abcbb", (2, 3)),
        (r"(?=(?:.(?:ca)++){0,2}+)(?:x|(?:.*?a)?+b)", "bcbcccc", (0, 1)),
        (r"(?i)(?:aa++)*+.", "ACaccbcab", (0, 1)),
    ],
)
def test_a_possessive_repetition_is_right_on_every_python(pattern: str, text: str, span: tuple[int, int]) -> None:
    found = expression(pattern).search(text)

    assert found is not None
    assert found.span() == span


def test_a_rule_without_words_and_digits_is_exact_beyond_ascii() -> None:
    translation = translate(r"GitHub|Почта[^\u0430-\u044f]*$", ignore_case=True)

    assert translation is not None
    assert translation.is_exact


@pytest.mark.parametrize("pattern", [r"\bfoo", r"\w+", r"[\d.]", r"a\sb", r"\W", r"[^\s]", r"\S", r"\D"])
def test_a_rule_with_words_digits_or_blanks_is_not_exact_beyond_ascii(pattern: str) -> None:
    translation = translate(pattern, ignore_case=False)

    assert translation is not None
    assert not translation.is_exact
