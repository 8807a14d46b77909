"""The order of numbers."""

import numpy as np

from dayline.storage.columns.source import Ids, Times


def stable_order(numbers: Times) -> Ids:
    """The places of the numbers in ascending order; equal ones in the order that they have."""
    if not len(numbers):
        return np.zeros(0, dtype=np.int64)
    lowest = int(numbers.min())
    bits = len(numbers).bit_length()
    if (int(numbers.max()) - lowest).bit_length() + bits >= 64:
        return np.argsort(numbers, kind="stable")
    # Each number with its place behind it: numpy sorts numbers many times quicker than it finds their order.
    order = ((numbers - lowest) << bits) | np.arange(len(numbers))
    order.sort()
    order &= (1 << bits) - 1
    return order
