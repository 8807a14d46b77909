"""Where nothing overlaps, active time is what the query of the existing web UI gives."""

import msgspec
from hypothesis import given, settings

from dayline.insight.active.pieces import active_pieces
from dayline.model.time import Period
from dayline.query.language.engine import answer
from dayline.query.processes.messages import QueryJob
from tests.insight.worlds import SECOND, Drawn, worlds
from tests.support.profile import examples

PROGRAM = """
events = flood(query_bucket("aw-watcher-window_laptop"));
not_afk = flood(query_bucket("aw-watcher-afk_laptop"));
not_afk = filter_keyvals(not_afk, "status", ["not-afk"]);
not_afk = period_union(not_afk, filter_keyvals_regex(events, "app", "game"));
not_afk = period_union(not_afk, filter_keyvals_regex(events, "title", "game"));
web = flood(query_bucket("aw-watcher-web-firefox_laptop"));
web = filter_period_intersect(web, filter_keyvals(events, "app", ["Firefox"]));
not_afk = period_union(not_afk, filter_keyvals(web, "audible", [true]));
events = filter_period_intersect(events, not_afk);
RETURN = {"apps": merge_events_by_keys(events, ["app"]), "duration": sum_durations(events)};
"""


@settings(max_examples=examples(45), deadline=None)
@given(worlds(overlaps=False, annotated=False))
def test_active_time_is_that_of_the_existing_query_where_nothing_overlaps(drawn: Drawn) -> None:
    # All of it: the query clips events before it closes gaps, so that at the edges of a range it finds others.
    common = drawn.common(-10, 100, devices=("laptop",))
    scope = msgspec.structs.replace(drawn.scope, always_active="game", categories=())
    pieces = active_pieces(drawn.without("aw-watcher-web-chrome").source, scope, common.start, common.end, common)
    _, body = answer(QueryJob(text=PROGRAM, periods=[Period(common.start, common.end)]), drawn.source)
    [found] = msgspec.json.decode(b"".join(body))
    # An odd microsecond of each gap is in neither neighbor there.
    events = sum(len(listed) for listed in drawn.buckets.values())
    assert abs(pieces.spans.total / SECOND - found["duration"]) <= 2e-6 * events
    keys = pieces.keys("app")
    for event in found["apps"]:
        time = int(pieces.duration[[keys.names[code] == event["data"]["app"] for code in keys.codes.tolist()]].sum())
        assert abs(time / SECOND - event["duration"]) <= 2e-6 * events
