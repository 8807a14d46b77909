"""A function that never ends, and has a second of processor time."""

from dayline.runtime.untrusted import limit_processor


def never_end() -> None:
    limit_processor(1)
    while True:
        pass
