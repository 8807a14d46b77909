"""Lengths of time as people say them."""


def in_words(seconds: float) -> str:
    """Hours and minutes, or minutes and seconds of what is shorter than an hour."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
