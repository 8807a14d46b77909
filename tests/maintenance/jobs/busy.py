"""A process that never ends, and has a second of processor time."""

from dayline.runtime.untrusted import limit_processor

if __name__ == "__main__":
    limit_processor(1)
    while True:
        pass
