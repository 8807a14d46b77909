"""Rounding of time, its distribution, and what it costs: whole numbers throughout. Pure, no numpy."""

from collections.abc import Sequence
from typing import Final

from dayline.insight.timesheet_request import Rounding
from dayline.model.timestamps import SECOND, Microseconds

_HOUR: Final = 3600 * SECOND
_A_CENT: Final = 100  # of the ten-thousandths that rates are given in


def rounded(time: Microseconds, rounding: Rounding, step: Microseconds) -> Microseconds:
    """The time in whole steps; half a step is rounded up by `nearest`."""
    match rounding:
        case "none":
            return time
        case "up":
            return -(-time // step) * step
        case "nearest":
            return (2 * time + step) // (2 * step) * step
        case "down":
            return time // step * step


def shared_out(total: Microseconds, times: Sequence[Microseconds], step: Microseconds) -> list[Microseconds]:
    """Whole steps that add up to a total, each share as near to its part of the times as whole steps can be.

    The steps that are left when every share is rounded down go to those that lost most by it, of equal ones to the
    first.
    """
    whole = sum(times)
    if not whole:
        return [0 for _ in times]
    steps = total // step
    shares = [steps * time // whole for time in times]
    lost = sorted(range(len(times)), key=lambda number: (-(steps * times[number] % whole), number))
    for number in lost[: steps - sum(shares)]:
        shares[number] += 1
    return [share * step for share in shares]


def cents_of(time: Microseconds, rate: int) -> int:
    """What time costs at a rate an hour (in ten-thousandths), in hundredths; half of one is rounded up."""
    whole = _HOUR * _A_CENT
    return (2 * time * rate + whole) // (2 * whole)
