// The state of a timeline: what the address and the server say, and everything that follows from it. A page creates
// one during its initialization.
import { createQuery } from "@tanstack/svelte-query";
import { onMount } from "svelte";
import { debounced } from "../core/debounced.svelte";
import { preferences } from "../core/api/preferences.svelte";
import { queries, queryClient } from "../core/api/queries";
import { listen } from "../core/api/stream.svelte";
import { now } from "../core/time/clock";
import { zonedMoment } from "../core/time/offset";
import { changeView, showRange, view } from "../core/url/current-view.svelte";
import { location, setParams } from "../core/url/location.svelte";
import { formatFilter } from "../core/url/view";
import { densityQuery, fetchTimeline, nearestQuery, type TileQuestion } from "./data";
import { emptyLanes, stripOf, type Strip } from "./engine/paint/draw";
import { byDevice, expectedLanes, layoutOf, SESSIONS, type Layout } from "./engine/paint/layout";
import { Painter, type Coloring } from "./engine/paint/paint";
import { placeOfSpan } from "./engine/spans/hit";
import {
  edited,
  joined,
  NO_SPANS,
  readTile,
  spanAt,
  Texts,
  type Edit,
  type Lane,
  type Span,
  type Spans,
} from "./engine/spans/model";
import { sessionSpans, weeksOf } from "./engine/spans/sessions";
import { levelOf, neededTiles, piecesOf, tileRange, tilesOf, TileStore, TILE } from "./engine/spans/tiles";
import {
  addressParams,
  parseAddress,
  parseMoment,
  type Color,
  type TimelineAddress,
} from "./engine/viewport/address";
import { aroundOf, recordedRange, sharesOf, type Around } from "./engine/viewport/around";
import {
  fitting,
  length,
  limitsOf,
  moment,
  panned,
  revealing,
  SHORTEST,
  zoomed,
  type Viewport,
} from "./engine/viewport/viewport";

/** A span in a lane, which can be found again after tiles have changed. */
export interface Place {
  readonly lane: string;
  readonly id: number;
  readonly start: number;
}

export interface Found {
  readonly lane: Lane;
  readonly laneIndex: number;
  readonly place: number;
  readonly span: Span;
}

const FIELD_OF: Readonly<Record<Color, string | undefined>> = {
  category: undefined,
  shown: undefined,
  title: "title",
  domain: "domain",
  project: "project",
};

/** Milliseconds without a move before tiles are requested. */
const REST = 60;
/** Milliseconds without a move before the overview is requested. */
const OVERVIEW_REST = 150;
/** Milliseconds without a move before the address changes. */
const SETTLED = 300;
const NOTHING: Viewport = { start: 0, end: 1 };

/** The number of timelines since the page was loaded. */
let timelines = 0;

export class TimelineStore {
  /** The latest viewport, which stays while the range of the address is unknown. */
  #latest: Viewport = NOTHING;
  /** The range that this timeline wrote into the address, and the exact viewport it was written for. */
  #written = { key: "none", shown: { viewport: NOTHING, origin: NOTHING } };
  #collapsed = "[]";
  #resting: ReturnType<typeof setTimeout> | undefined;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];

  readonly buckets = createQuery(() => queries.buckets());
  readonly zone = $derived(preferences.zone);
  readonly address = $derived(parseAddress(location.params));
  /** The devices and filters of every request. */
  readonly common = $derived({
    tz: this.zone,
    ...(view.current.devices.length ? { device: [...view.current.devices] } : {}),
    ...(view.current.filters.length ? { filter: view.current.filters.map(formatFilter) } : {}),
  });
  /** Whether nothing was ever recorded. */
  readonly hasNothing = $derived(
    this.buckets.data?.buckets.every((bucket) => bucket.first === null) ?? false,
  );
  readonly #recorded = $derived(recordedRange(this.buckets.data?.buckets ?? [], now()));

  // What is on the screen. The address decides; the user's moves override it until the address changes.
  readonly period = createQuery(() => ({
    ...densityQuery(
      { period: view.current.period, ...(view.current.date ? { date: view.current.date } : {}) },
      this.common,
    ),
    enabled: view.current.range === undefined,
  }));
  /** As text, which is compared by value; empty until the server has answered where a period begins. */
  readonly #rangeKey = $derived.by(() => {
    const answer = this.period.isPlaceholderData ? undefined : this.period.data?.range;
    const range = view.current.range ?? answer;
    return range ? `${range.start} ${range.end}` : "";
  });
  /** The viewport of the address. `origin` is the last one that no move led to: the limits reach around it. */
  readonly #shown = $derived.by(() => {
    if (this.#rangeKey === "") return { viewport: this.#latest, origin: this.#latest };
    if (this.#rangeKey === this.#written.key) return this.#written.shown;
    const [start = 0, end = 0] = this.#rangeKey.split(" ").map(parseMoment);
    const viewport = { start, end: Math.max(end, start + SHORTEST) };
    this.#latest = viewport;
    return { viewport, origin: viewport };
  });
  viewport = $derived(this.#shown.viewport);
  /** The viewport after the last move: what tiles are requested for. */
  #rested = $derived(this.#shown.viewport);
  readonly isShown = $derived(this.viewport !== NOTHING);
  readonly limits = $derived.by(() => {
    const { origin } = this.#shown;
    const { start, end } = origin === NOTHING ? this.#recorded : origin;
    return limitsOf(Math.min(this.#recorded.start, start), Math.max(this.#recorded.end, end));
  });
  width = $state(0);
  readonly level = $derived(levelOf(this.viewport, this.width));
  readonly msPerPixel = $derived(length(this.viewport) / Math.max(1, this.width));
  selection = $derived(this.address.selection);
  focus = $state.raw<Place | undefined>(undefined);
  hover = $state.raw<{ time: number; y: number; found: Found | undefined } | undefined>(undefined);

  // The tiles. As text: an address that changes elsewhere must not load them again.
  readonly #questionKey = $derived(
    JSON.stringify({
      ...this.common,
      ...(this.address.lanes.length ? { lanes: [...this.address.lanes] } : {}),
      ...(FIELD_OF[this.address.color] ? { color: FIELD_OF[this.address.color] } : {}),
    }),
  );
  readonly #coloring = $derived<Coloring>(this.address.color === "category" ? "category" : "key");
  readonly #asked = $derived.by(() => {
    const question = JSON.parse(this.#questionKey) as TileQuestion;
    const texts = new Texts();
    const tiles = new TileStore(
      async (address, signal) => {
        const { start, end } = tileRange(address);
        const answer = await fetchTimeline(question, moment(start), moment(end), TILE, signal);
        return readTile(answer, start, end, texts);
      },
      () => this.#changed(),
    );
    return { question, texts, tiles, painter: new Painter(texts, this.#coloring) };
  });
  readonly texts = $derived(this.#asked.texts);
  readonly painter = $derived(this.#asked.painter);
  /** The tile store, which is not reactive itself: `#change` is another object after each of its changes. */
  #change = $state.raw({});
  readonly #tiles = $derived({ store: this.#asked.tiles, change: this.#change });
  readonly #needed = $derived(neededTiles(this.#rested, levelOf(this.#rested, this.width)));
  /** Whether all tiles of the screen are loaded, or could not be. */
  readonly isSettled = $derived(
    this.isShown && this.width > 0 && this.#tiles.store.isLoaded(this.#needed.seen),
  );
  /** Whether a tile is being loaded, also one beside the screen. */
  readonly isLoading = $derived(!this.#tiles.store.isIdle);
  readonly failures = $derived(this.#tiles.store.failures);

  // The lanes and their spans.
  /** The lanes of the newest tile; until there is one, those to expect, so that nothing moves when it arrives. */
  readonly lanes: readonly Lane[] = $derived(
    this.#tiles.store.tiles.at(-1)?.lanes ??
      expectedLanes(this.buckets.data?.buckets ?? [], view.current.devices, this.address.lanes),
  );
  // As text, so that moving within a week changes nothing. Buckets that were chosen are shown alone.
  readonly #weeksKey = $derived(
    JSON.stringify(
      !this.isShown || (this.address.lanes.length > 0 && this.address.lanes[0] !== "device")
        ? []
        : weeksOf(this.viewport, this.zone, preferences.value.day_start),
    ),
  );
  readonly #sessionsQuery = createQuery(() => {
    const weeks = JSON.parse(this.#weeksKey) as Viewport[];
    const each = weeks.map(({ start, end }) =>
      queries.activitySessions({ ...this.common, start: moment(start), end: moment(end) }),
    );
    return {
      queryKey: ["data", "sessions of weeks", weeks, this.common],
      queryFn: async () =>
        (await Promise.all(each.map((week) => queryClient.fetchQuery(week)))).flatMap(
          (week) => week.sessions,
        ),
      enabled: weeks.length > 0,
    };
  });
  /** The sessions around the viewport, or undefined if their lane is not shown. */
  readonly #sessions: Spans | undefined = $derived(
    this.#weeksKey === "[]" ? undefined : sessionSpans(this.#sessionsQuery.data ?? [], this.texts),
  );
  readonly allLanes: readonly Lane[] = $derived(
    byDevice(this.#sessions ? [SESSIONS, ...this.lanes] : this.lanes),
  );
  #edits = $state.raw<readonly Edit[]>([]);
  /** The tiles of the screen and of one screen on each side, as text: the first and the last. */
  readonly #aroundKey = $derived.by(() => {
    const { start, end } = this.viewport;
    const tiles = tilesOf({ start: 2 * start - end, end: 2 * end - start }, this.level);
    return JSON.stringify([this.level, tiles[0]?.index ?? 0, tiles.at(-1)?.index ?? 0]);
  });
  /** The spans of each lane, in the order of the layout. */
  readonly strips: readonly Strip[] = $derived.by(() => {
    const [level, first, last] = JSON.parse(this.#aroundKey) as [number, number, number];
    const range = {
      start: tileRange({ level, index: first }).start,
      end: tileRange({ level, index: last }).end,
    };
    const parts = this.#tiles.store.parts(range, level);
    return this.allLanes.map((lane) => {
      const edits = this.#edits.filter((edit) => edit.lane === lane.id);
      const spans = lane === SESSIONS ? this.#sessions : edited(joined(piecesOf(parts, lane.id)), edits);
      return stripOf(lane, spans ?? NO_SPANS, this.painter);
    });
  });
  readonly #isAtRest = $derived(this.isSettled && this.viewport === this.#rested);
  /** The ids of lanes to collapse, as text. It changes only once everything is loaded, never during a move. */
  readonly #collapsedKey = $derived.by(() => {
    if (!this.#isAtRest) return this.#collapsed;
    const empty = emptyLanes(this.strips, this.viewport);
    return (this.#collapsed = JSON.stringify(empty.length < this.strips.length ? empty : []));
  });
  laneHeight = $state(28);
  /** The height of the screen that the lanes may fill. */
  minHeight = $state(0);
  readonly layout: Layout = $derived(
    layoutOf(this.allLanes, this.laneHeight, {
      minHeight: this.minHeight,
      empty: new Set(JSON.parse(this.#collapsedKey) as string[]),
    }),
  );
  /** Whether the screen is loaded and has no span. */
  readonly isEmpty = $derived(
    this.#isAtRest &&
      this.failures.length === 0 &&
      emptyLanes(this.strips, this.viewport).length === this.strips.length,
  );
  readonly #nearestQuery = createQuery(() => ({
    ...nearestQuery(this.#asked.question, moment(this.viewport.start), moment(this.viewport.end)),
    enabled: this.isEmpty,
  }));
  /** The nearest events before and after an empty screen. */
  readonly nearest = $derived(
    this.isEmpty && !this.#nearestQuery.isPlaceholderData
      ? (this.#nearestQuery.data?.nearest ?? undefined)
      : undefined,
  );

  // The overview above the lanes. As text: most moves stay in the same day, month or year.
  readonly #overviewKey = debounced(
    () =>
      this.isShown
        ? JSON.stringify(aroundOf(this.viewport, this.#recorded, this.zone, preferences.value.day_start))
        : undefined,
    OVERVIEW_REST,
  );
  readonly #density = createQuery(() => {
    const around: Around = JSON.parse(this.#overviewKey.current ?? JSON.stringify(NOTHING));
    return {
      ...densityQuery(
        "period" in around ? around : { start: moment(around.start), end: moment(around.end), bin: "week" },
        this.common,
      ),
      enabled: this.#rangeKey !== "" && this.#overviewKey.current !== undefined,
    };
  });
  /** How much there is around the screen. */
  readonly around = $derived(
    this.#density.data ? sharesOf(this.#density.data) : { range: this.viewport, edges: [], shares: [] },
  );

  constructor() {
    $effect(() => {
      const [start, end] = this.#rangeKey.split(" ");
      if (!start || !end) return;
      showRange({ start, end, tz: this.zone });
      // The address leads elsewhere: a move before that must not change it back.
      clearTimeout(this.#settling);
    });
    $effect(() => {
      const { tiles } = this.#asked;
      return () => tiles.clear();
    });
    $effect(() => {
      if (!this.isShown || this.width === 0) return;
      const { tiles } = this.#asked;
      if (this.buckets.data) tiles.bounds = this.#recorded;
      tiles.want(this.#needed);
      this.#changed();
    });
    $effect(() => {
      void this.#change;
      if (this.isSettled || this.hasNothing) for (const done of this.#waiting.splice(0)) done();
    });
    this.#followQueries();
    onMount(() => {
      const stop = this.#followStream();
      return () => {
        stop();
        clearTimeout(this.#resting);
        clearTimeout(this.#settling);
        showRange(undefined);
      };
    });
  }

  change(changes: Partial<TimelineAddress>, options?: { replace?: boolean }): void {
    setParams(addressParams(changes), options);
  }

  /** Show another range, as the user chose; the address follows after a while. */
  move(viewport: Viewport): void {
    this.viewport = this.#latest = viewport;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => (this.#rested = this.viewport), REST);
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.#write(), SETTLED);
  }

  zoom(factor: number, at = (this.viewport.start + this.viewport.end) / 2): void {
    this.move(zoomed(this.viewport, factor, at, this.limits));
  }

  panBy(time: number): void {
    this.move(panned(this.viewport, time, this.limits));
  }

  fit(start: number, end: number): void {
    this.move(fitting(start, end, this.limits));
  }

  reveal(start: number, end: number): void {
    const next = revealing(this.viewport, start, end, this.limits);
    if (next !== this.viewport) this.move(next);
  }

  /** Show a change before it is saved. The returned function removes it again. */
  edit(edit: Edit): () => void {
    this.#edits = [...this.#edits, edit];
    return () => {
      this.#edits = this.#edits.filter((each) => each !== edit);
    };
  }

  /** Request what is shown again, or a part of it; resolves when it is loaded. */
  async refresh(range?: Viewport): Promise<void> {
    this.#asked.tiles.expire(range);
    this.#changed();
    await this.whenSettled();
  }

  retry(): void {
    this.#asked.tiles.retry();
  }

  whenSettled(): Promise<void> {
    if (this.isSettled || this.hasNothing) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  find(place: Place | undefined): Found | undefined {
    if (!place) return undefined;
    const laneIndex = this.strips.findIndex(({ lane }) => lane.id === place.lane);
    const strip = this.strips[laneIndex];
    return strip && this.at(laneIndex, placeOfSpan(strip.spans, place.id, place.start));
  }

  at(laneIndex: number, place: number): Found | undefined {
    const strip = this.strips[laneIndex];
    const span = strip && spanAt(strip.spans, place);
    return span && { lane: strip.lane, laneIndex, place, span };
  }

  #changed(): void {
    this.#change = {};
  }

  #write(): void {
    const { viewport, zone } = this;
    const range = {
      start: zonedMoment(Math.round(viewport.start), zone),
      end: zonedMoment(Math.round(viewport.end), zone),
    };
    this.#written = {
      key: `${range.start} ${range.end}`,
      shown: { viewport, origin: this.#shown.origin },
    };
    // The first step away from a period can be undone with Back; later steps replace it.
    changeView({ range }, { replace: view.current.range !== undefined });
  }

  /** Whatever invalidates all queries, such as an undo, also loads the tiles again. */
  #followQueries(): void {
    let rounds = 0;
    // By number: a page that was left early must not share its pending request with the next one.
    const number = (timelines += 1);
    createQuery(() => ({
      queryKey: ["tiles", number],
      queryFn: async () => {
        rounds += 1;
        await (rounds === 1 ? this.whenSettled() : this.refresh());
        return rounds;
      },
      gcTime: 0,
    }));
  }

  /** While now is on the screen, load what is recorded, but no more often than a pixel changes. */
  #followStream(): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      const { start, end } = this.viewport;
      if (now() < start || now() > end) return;
      timer ??= setTimeout(
        () => {
          timer = undefined;
          void this.refresh({ start: now() - 60_000, end: now() + 60_000 });
        },
        Math.min(60_000, Math.max(1000, this.msPerPixel)),
      );
    };
    const stops = [
      listen("revision", soon),
      listen("bucket", ({ change }) => (change === "recorded" ? soon() : void this.refresh())),
      listen("settings", () => void this.refresh()),
    ];
    return () => {
      clearTimeout(timer);
      for (const stop of stops) stop();
    };
  }
}
