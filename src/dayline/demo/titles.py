"""Titles of pages, mails and documents, made from words."""

from random import Random

from dayline.demo.words import ENGLISH, OTHER_TONGUES, Tongue

# Of the phrases; editors, terminals and the like are nearly all ASCII, and a quarter of all titles should not be.
OTHER_TONGUE_SHARE = 0.26


def phrase(rng: Random) -> str:
    """A headline, in English or, about one in four, in another tongue."""
    tongue = tongue_of(rng)
    text = rng.choice(tongue.phrases).format(rng.choice(tongue.subjects))
    return text[0].upper() + text[1:]


def subject(rng: Random) -> str:
    """What a headline could be about, in English."""
    return rng.choice(ENGLISH.subjects)


def tongue_of(rng: Random) -> Tongue:
    """English, or another tongue for `OTHER_TONGUE_SHARE` of the calls."""
    return rng.choice(OTHER_TONGUES) if rng.random() < OTHER_TONGUE_SHARE else ENGLISH


def slug(text: str) -> str:
    """The text as it stands in an address: ASCII letters and digits with hyphens, or `page` if none are left."""
    kept = "".join(letter if letter.isascii() and letter.isalnum() else " " for letter in text.lower())
    return "-".join(kept.split()) or "page"
