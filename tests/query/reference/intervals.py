"""The functions about time, slow and obvious: each loop is the text of the protocol's section 6."""

from tests.query.reference.events import Event, by_start, same


def flood(events: list[Event], pulsetime_s: float) -> list[Event]:
    """6.14"""
    pulsetime = round(pulsetime_s * 1_000_000)
    events = by_start(events)
    result: list[Event] = []
    if not events:
        return result
    a = events[0]
    for b in events[1:]:
        gap = b.start - a.end
        if gap < 0 or gap < pulsetime:
            if same(a.data, b.data):
                a = a.from_to(min(a.start, b.start), max(a.end, b.end))
                continue
            if gap >= 0:
                half = gap // 2
                a, b = a.from_to(a.start, a.end + half), b.from_to(b.start - half, b.end)
        result.append(a)
        a = b
    return [*result, a]


def filter_period_intersect(events: list[Event], filters: list[Event]) -> list[Event]:
    """6.6"""
    waiting, filters = by_start(events), by_start(filters)
    result: list[Event] = []
    while waiting and filters:
        cur, f = waiting[0], filters[0]
        if cur.duration == 0 or cur.end <= f.start:
            waiting = waiting[1:]
        elif cur.start >= f.end:
            filters = filters[1:]
        else:
            piece = cur.from_to(max(cur.start, f.start), min(cur.end, f.end))
            result.append(piece)
            waiting = [cur.from_to(piece.end, cur.end), *waiting[1:]]
    return result


def period_union(one: list[Event], other: list[Event]) -> list[Event]:
    """6.7"""
    result: list[Event] = []
    for event in by_start(one + other):
        if result and event.start <= result[-1].end:
            result[-1] = result[-1].from_to(result[-1].start, max(result[-1].end, event.end))
        else:
            result.append(event._replace(data={}))
    return result


def union_no_overlap(one: list[Event], other: list[Event]) -> list[Event]:
    """6.8"""
    result: list[Event] = []
    while one and other:
        a, b = one[0], other[0]
        if max(a.start, b.start) < min(a.end, b.end):
            if a.start <= b.start:
                result.append(a)
                one = one[1:]
                rest = [b.from_to(a.end, b.end)._replace(id=None)] if a.end < b.end else []
                other = [*rest, *other[1:]]
            else:
                result.append(b.from_to(b.start, a.start)._replace(id=None))
                other = [b.from_to(a.start, b.end)._replace(id=None), *other[1:]]
        elif a.start <= b.start:
            result.append(a)
            one = one[1:]
        else:
            result.append(b)
            other = other[1:]
    return [*result, *one, *other]


def merge_subwatcher_fields(base: list[Event], sub: list[Event], keys: list[str], conflict: str) -> list[Event]:
    """6.19, as documented at the fast one."""
    if not keys or not sub:
        return base
    result: list[Event] = []
    for event in base:
        cuts = {moment for other in sub for moment in (other.start, other.end) if other.duration > 0}
        inner = sorted(moment for moment in cuts if event.start < moment < event.end)
        pieces: list[Event] = []
        for start, end in zip([event.start, *inner], [*inner, event.end], strict=True):
            data = dict(event.data)
            # Of equal ones the last in the list: max() finds the first, so it is asked to look from behind.
            covering = [other for other in reversed(sub) if other.start <= start < end <= other.end]
            if covering:
                winner = max(covering, key=lambda other: (other.start, other.end))
                for key in keys:
                    if key in winner.data and (conflict == "sub_wins" or key not in event.data):
                        data[key] = winner.data[key]
            if pieces and same(pieces[-1].data, data):
                pieces[-1] = pieces[-1].from_to(pieces[-1].start, end)
            else:
                pieces.append(event.from_to(start, end)._replace(data=data))
        result += pieces
    return result
