"""Times of one day, written as clocks show them."""


def at(time: str, *, date: str = "2026-01-01") -> str:
    """`10:00:13.501` as the server writes it: 2026-01-01T10:00:13.501Z."""
    return f"{date}T{time}Z"
