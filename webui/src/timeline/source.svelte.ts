// What the timeline is made of, from the address and the server to the board; to be called while the page is made.
import { createQuery } from "@tanstack/svelte-query";
import { onMount, untrack } from "svelte";
import { preferences } from "../api/preferences.svelte";
import { queries, queryClient } from "../api/queries";
import { listen } from "../api/stream.svelte";
import { densityQuery, fetchTimeline, nearestQuery, type TileQuestion } from "../api/tiles";
import { now } from "../lib/clock";
import { zonedMoment } from "../lib/time/offset";
import { changeView, showRange, view } from "../lib/url/current-view.svelte";
import { location, setParams } from "../lib/url/location.svelte";
import { formatFilter } from "../lib/url/view";
import { addressParams, parseAddress, parseMoment, type Colour, type TimelineAddress } from "./address";
import { aroundOf } from "./around";
import { Board } from "./board.svelte";
import { lanesOf } from "./layout";
import type { Lane } from "./model";
import type { Colouring } from "./paint";
import { sessionSpans, weeksOf } from "./sessions";
import { moment, type Viewport } from "./viewport";

const FIELD_OF: Readonly<Record<Colour, string | undefined>> = {
  category: undefined,
  shown: undefined,
  title: "title",
  domain: "domain",
  project: "project",
};

/** How many timelines there were since the page was loaded. */
let timelines = 0;

export function useTimeline() {
  const zone = $derived(preferences.zone);
  const address = $derived(parseAddress(location.params));
  const buckets = createQuery(() => queries.buckets());
  const common = $derived({
    tz: zone,
    ...(view.current.devices.length ? { device: [...view.current.devices] } : {}),
    ...(view.current.filters.length ? { filter: view.current.filters.map(formatFilter) } : {}),
  });
  /** As text, which is compared by value: an address that changes elsewhere must not load the tiles again. */
  const questionKey = $derived(
    JSON.stringify({
      ...common,
      ...(address.lanes.length ? { lanes: [...address.lanes] } : {}),
      ...(FIELD_OF[address.colour] ? { color: FIELD_OF[address.colour] } : {}),
    }),
  );
  const question = $derived(JSON.parse(questionKey) as TileQuestion);
  const colouring = $derived<Colouring>(address.colour === "category" ? "category" : "key");
  /** From the first event to now. */
  const known = $derived.by<Viewport>(() => {
    const times = (buckets.data?.buckets ?? []).flatMap(({ first, last }) =>
      first && last ? [Date.parse(first), Date.parse(last)] : [],
    );
    const start = times.reduce((one, other) => Math.min(one, other), now() - 86_400_000);
    return { start, end: times.reduce((one, other) => Math.max(one, other), now()) + 86_400_000 };
  });

  const hasNothing = $derived(buckets.data?.buckets.every((bucket) => bucket.first === null) ?? false);

  let written = "";
  const board = new Board((viewport) => {
    const range = {
      start: zonedMoment(Math.round(viewport.start), zone),
      end: zonedMoment(Math.round(viewport.end), zone),
    };
    written = `${range.start} ${range.end}`;
    // The first step away from a period can be taken back; the ones after it change where one is.
    changeView({ range }, { replace: view.current.range !== undefined });
  });

  const period = createQuery(() => ({
    ...densityQuery(
      { period: view.current.period, ...(view.current.date ? { date: view.current.date } : {}) },
      common,
    ),
    enabled: view.current.range === undefined,
  }));
  /** What the address says is to be seen; undefined while the server is asked where a period begins. */
  const target = $derived.by(() => {
    const { range } = view.current;
    if (range) return range;
    return period.data && !period.isPlaceholderData ? period.data.range : undefined;
  });

  $effect(() => {
    if (!target) return;
    showRange({ start: target.start, end: target.end, tz: zone });
    if (view.current.range && written === `${target.start} ${target.end}`) return;
    written = "";
    const viewport = { start: parseMoment(target.start), end: parseMoment(target.end) };
    untrack(() => board.show(viewport));
  });
  $effect(() => {
    const range = known;
    const isIdle = hasNothing;
    if (!buckets.data) return;
    untrack(() => {
      board.known = range;
      board.isIdle = isIdle;
    });
  });
  const expected = $derived.by(() => {
    const { devices } = view.current;
    const those = (buckets.data?.buckets ?? []).filter(
      ({ id, device }) =>
        (devices.length === 0 || devices.includes(device)) &&
        (address.lanes.length === 0 || address.lanes[0] === "device" || address.lanes.includes(id)),
    );
    if (address.lanes[0] !== "device") return lanesOf(those);
    return [...new Set(those.map(({ device }) => device))].map((device): Lane => ({
      id: device,
      bucket: null,
      device,
      type: "",
    }));
  });
  $effect(() => {
    const lanes = expected;
    untrack(() => board.expect(lanes));
  });
  $effect(() => {
    const [asked, by] = [question, colouring];
    untrack(() =>
      board.ask((start, end, px, signal) => fetchTimeline(asked, start, end, px, signal), by, expected),
    );
  });
  $effect(() => {
    const selection = address.selection;
    untrack(() => (board.selection = selection));
  });

  // Every undo, and whatever else makes all answers old, makes this one old too.
  let rounds = 0;
  // By number: what a page that was left early still waits for is not waited for by the next one.
  const place = (timelines += 1);
  createQuery(() => ({
    queryKey: ["tiles", place],
    queryFn: async () => {
      rounds += 1;
      await (rounds === 1 ? board.whenSettled() : board.refresh());
      return rounds;
    },
    gcTime: 0,
  }));
  onMount(() => {
    const stop = followStream(board);
    return () => {
      stop();
      board.destroy();
      showRange(undefined);
    };
  });

  const around = $derived(aroundOf(board.viewport, known, zone, preferences.value.day_start));
  const aroundKey = $derived(JSON.stringify(around));
  /** Who moves fast is not asked for at every stop. */
  let restingKey = $state("");
  $effect(() => {
    const key = aroundKey;
    if (board.viewport.end <= 1) return; // nothing is shown yet
    const timer = setTimeout(() => (restingKey = key), untrack(() => restingKey) === "" ? 0 : 150);
    return () => clearTimeout(timer);
  });
  const density = createQuery(() => {
    const asked = JSON.parse(restingKey || aroundKey) as typeof around;
    return {
      ...densityQuery(
        "period" in asked ? asked : { start: moment(asked.start), end: moment(asked.end), bin: "week" },
        common,
      ),
      enabled: target !== undefined && restingKey !== "",
    };
  });
  // As text, so that moving within a week changes nothing. Buckets that were chosen are shown alone.
  const weeksKey = $derived(
    JSON.stringify(
      board.viewport.end <= 1 || (address.lanes.length > 0 && address.lanes[0] !== "device")
        ? []
        : weeksOf(board.viewport, zone, preferences.value.day_start),
    ),
  );
  const sessions = createQuery(() => {
    const weeks = JSON.parse(weeksKey) as Viewport[];
    const each = weeks.map(({ start, end }) =>
      queries.activitySessions({ ...common, start: moment(start), end: moment(end) }),
    );
    return {
      queryKey: ["data", "sessions of weeks", weeks, common],
      queryFn: async () =>
        (await Promise.all(each.map((week) => queryClient.fetchQuery(week)))).flatMap(
          (week) => week.sessions,
        ),
      enabled: weeks.length > 0,
    };
  });
  $effect(() => {
    const [list, texts] = [weeksKey === "[]" ? undefined : (sessions.data ?? []), board.texts];
    untrack(() => board.showSessions(list && sessionSpans(list, texts)));
  });
  const isEmpty = $derived(
    (void board.version, board.isSettled && board.failures.length === 0 && board.isEmpty),
  );
  const nearest = createQuery(() => ({
    ...nearestQuery(question, moment(board.viewport.start), moment(board.viewport.end)),
    enabled: isEmpty,
  }));

  const shares = $derived.by(() => {
    const answer = density.data;
    if (!answer) return { range: board.viewport, edges: [], shares: [] };
    const edges = answer.edges.map((edge) => Date.parse(edge));
    return {
      range: { start: Date.parse(answer.range.start), end: Date.parse(answer.range.end) },
      edges,
      shares: answer.total.map((seconds, place) => {
        const [from = 0, to = 0] = [edges[place], edges[place + 1]];
        return to > from ? (1000 * seconds) / (to - from) : 0;
      }),
    };
  });

  return {
    board,
    buckets,
    period,
    /** How much there is around what is on the screen. */
    get around() {
      return shares;
    },
    get zone() {
      return zone;
    },
    get address() {
      return address;
    },
    get common() {
      return common;
    },
    /** Whether nothing was ever recorded. */
    get hasNothing() {
      return hasNothing;
    },
    get isEmpty() {
      return isEmpty;
    },
    get nearest() {
      return isEmpty && !nearest.isPlaceholderData ? (nearest.data?.nearest ?? undefined) : undefined;
    },
    change(changes: Partial<TimelineAddress>, options?: { replace?: boolean }) {
      setParams(addressParams(changes), options);
    },
  };
}

export type TimelineSource = ReturnType<typeof useTimeline>;

/** What is recorded now is asked for while now is on the screen, and no more often than it could be seen. */
function followStream(board: Board): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    const { start, end } = board.viewport;
    if (now() < start || now() > end) return;
    timer ??= setTimeout(
      () => {
        timer = undefined;
        void board.refresh({ start: now() - 60_000, end: now() + 60_000 });
      },
      Math.min(60_000, Math.max(1000, board.msPerPixel)),
    );
  };
  const stops = [
    listen("revision", soon),
    listen("bucket", ({ change }) => (change === "recorded" ? soon() : void board.refresh())),
    listen("settings", () => void board.refresh()),
  ];
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}
