"""Patterns of every construct, allowed for RE2 or not, and strings to look for them in."""

from typing import Final

from hypothesis import strategies as st

ODD: Final = (
    "\u0130\u0131\u017f\u212a"  # other cases of i, s and k
    "ßẞςΣ\u03c3ǄǅǆµμéÉŁłжЖ\u0432\u1c80\ufb05\ufb06𐐀𐐨"  # letters with several cases, or with odd ones
    "e\u0301ﬀ😀"  # a combining mark, a ligature, a sign beyond the first plane
    "\u0663\u00a0\u2003"  # a digit and blanks of other kinds
)
ASCII: Final = "abkKsSiIzZ019_ -.,{}[]()|^$*+?:&~#/\\"
CONTROLS: Final = "\n\r\t\x0b\x0c\x1c\x1f\x00\x7f\x85"

_letters = st.sampled_from("abkKsSiI019_ -,/" + ODD)
_literals = st.one_of(
    _letters,
    st.sampled_from([r"\.", r"\-", r"\{", r"\(", r"\[", r"\|", r"\ ", r"\é", r"\_", "{", "}", "]", "&", "~", ":"]),
    st.sampled_from([r"\n", r"\t", r"\v", r"\x6b", r"\x1f", r"\u017f", r"\u0131", r"\U0001042c", r"\101", r"\0"]),
    st.sampled_from([r"\N{KELVIN SIGN}", r"\ud800", "\n", "\x1c"]),
)
_kinds = st.sampled_from([".", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S"])
_edges = st.sampled_from(["^", "$", r"\b", r"\B", r"\A", r"\Z"])
_ends_of_ranges = st.sampled_from(
    ["a-k", "A-Z", "0-9", " -~", "Z-a", "\u0430-\u044f", "\u0100-\u0180", r"\u0130-\u0135", "i-\u017f"]
)
_set_items = st.one_of(
    _letters.filter(lambda letter: letter != "-"),
    st.sampled_from([r"\]", r"\-", r"\\", r"\[", r"\n", r"\b", "^", "&", "~", "|", "$", ".", "-", "{", r"\x41"]),
    _ends_of_ranges,
    st.sampled_from([r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", "[:alpha:]", "--", "&&", "[", r"\u0430"]),
)
_sets = st.tuples(st.sampled_from(["", "^"]), st.sampled_from(["", "]"]), st.lists(_set_items, min_size=1, max_size=4))
_classes = _sets.map(lambda parts: f"[{parts[0]}{parts[1]}{''.join(parts[2])}]")
_repetitions = st.sampled_from([
    "*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{,2}", "{0,2}", "{1,2}?", "{,}", "{2}?", "*+", "++", "{1,2}+",
    "{0}", "{", "{}", "{a}", "{1000}", "{201}", "{100}", "{1 ,2}", "{1, 2}",
])  # fmt: skip
_openings = st.sampled_from([
    *["(", "(?:"] * 10,
    "(?P<n>", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?-i:", "(?s:", "(?#", "(?a:", "(?x: ",
])  # fmt: skip
_odd_wholes = st.sampled_from([
    r"(a|b)\1", r"(?P<m>k)(?P=m)", r"(a)?b(?(1)c|d)", r"\Qa\E", r"a\z", r"\pN", r"\p{Greek}", r"\C", "(a|)b", "(|a)+",
    "()", "(a*)*", "(a*)+b", "(?:a|b?){2}k", "(?:)", "^^", "$$", "a$\n", "$\n", "(^a|b$)", "(?:^|-)i", "x*", "",
])  # fmt: skip
_atoms = st.one_of(_literals, _letters, _letters, _letters, _kinds, _edges, _classes, _classes, _odd_wholes)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(_openings, inner).map(lambda parts: f"{parts[0]}{parts[1]})"),
        st.tuples(inner, _repetitions).map("".join),
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join),
    )


_bodies = st.recursive(_atoms, _compound, max_leaves=8)
_flags = st.sampled_from([""] * 5 + ["(?i)", "(?i)", "(?s)", "(?m)", "(?x)", "(?a)", "(?im)"])

patterns = st.tuples(_flags, _bodies).map("".join)
simple_patterns = st.lists(
    st.sampled_from(["a", "k", "S", r"\d", "ж", ".", r"\b", "i+", "(?=b)", "İ"]), max_size=3
).map("".join)

_plain = st.text(st.sampled_from(ASCII), max_size=8)
_mixed = st.text(st.sampled_from(ASCII + ODD), max_size=8)
_controlled = st.text(st.sampled_from(ASCII + ODD + CONTROLS), max_size=8)
_lines = st.one_of(_plain, _mixed).map(lambda line: f"{line}\n")

strings = st.one_of(_plain, _plain, _mixed, _mixed, _controlled, _lines, st.text(max_size=6))
