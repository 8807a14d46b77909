// The state of a timeline: what the address and the server say, and everything that follows from it. A page creates
// one during its initialization.
import { createQuery } from "@tanstack/svelte-query";
import { onMount } from "svelte";
import { coloring } from "../core/api/colors.svelte";
import { preferences } from "../core/api/preferences.svelte";
import { queries, queryClient } from "../core/api/queries";
import { level } from "../core/categories/level.svelte";
import { now } from "../core/time/clock";
import { isEqual, stable } from "../core/stable.svelte";
import { zonedMoment } from "../core/time/offset";
import { debounced } from "../core/debounced.svelte";
import { changeView, showRange, view } from "../core/url/current-view.svelte";
import { location, setParams } from "../core/url/location.svelte";
import { commonOf, fetchTimeline, nearestQuery, sessionsQuery, shareQuery, type TileQuestion } from "./data";
import { daysStrip, emptyLanes, stripOf, type Strip } from "./engine/paint/draw";
import {
  byDevice,
  DAYS,
  expectedLanes,
  laneAt,
  layoutOf,
  layoutOfDays,
  SESSIONS,
  type Layout,
} from "./engine/paint/layout";
import { Painter, type Coloring } from "./engine/paint/paint";
import { daysAround, daysOf, isByDay, type DayPart } from "./engine/spans/days";
import { hit, placeOfSpan } from "./engine/spans/hit";
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
import { sessionSpans } from "./engine/spans/sessions";
import { levelOf, neededTiles, piecesOf, tileRange, tilesOf, TileStore, TILE } from "./engine/spans/tiles";
import {
  addressParams,
  parseAddress,
  parseMoment,
  type Color,
  type TimelineAddress,
} from "./engine/viewport/address";
import { recordedRange } from "./engine/viewport/around";
import {
  fitting,
  length,
  limitsOf,
  moment,
  panned,
  revealing,
  SHORTEST,
  timeAt,
  zoomed,
  type Viewport,
} from "./engine/viewport/viewport";
import { weeksOf } from "./engine/viewport/week";
import { followQueries, followStream } from "./following";
import { overviewOf } from "./overview.svelte";

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

/** What the parts of a day are. */
const PARTS_OF = {
  category: "category",
  shown: "app",
  title: "title",
  domain: "domain",
  project: "project",
} as const;
const MOST_PARTS = 12;
/** How near the pointer has to be to a span, in pixels. */
const REACH = 3;
/** After how many milliseconds a missing tile is worth a sign. */
const SLOW = 150;

const FIELD_OF: Readonly<Record<Color, string | undefined>> = {
  category: undefined,
  shown: undefined,
  title: "title",
  domain: "domain",
  project: "project",
};

/** Milliseconds without a move before tiles are requested. */
const REST = 60;
/** Milliseconds without a move before the address changes. */
const SETTLED = 300;
const NO_TILES = { seen: [], beside: [] };
const NOTHING: Viewport = { start: 0, end: 1 };

interface Written {
  readonly range: { readonly start: string; readonly end: string } | undefined;
  readonly shown: { readonly viewport: Viewport; readonly origin: Viewport };
}

export class TimelineStore {
  /** The latest viewport, which stays while the range of the address is unknown. */
  #latest: Viewport = NOTHING;
  /** The range that this timeline wrote into the address, and the exact viewport it was written for. */
  #written: Written = { range: undefined, shown: { viewport: NOTHING, origin: NOTHING } };
  #collapsed: readonly string[] = [];
  #resting: ReturnType<typeof setTimeout> | undefined;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];

  readonly buckets = createQuery(() => queries.buckets());
  readonly zone = $derived(preferences.zone);
  readonly address = $derived(parseAddress(location.params));
  /** The devices and filters of every request. */
  readonly common = $derived(commonOf(view.current));
  /** Whether nothing was ever recorded. */
  readonly hasNothing = $derived(
    this.buckets.data?.buckets.every((bucket) => bucket.first === null) ?? false,
  );
  readonly recorded = $derived(recordedRange(this.buckets.data?.buckets ?? [], now()));

  // What is on the screen. The address decides; the user's moves override it until the address changes.
  readonly period = createQuery(() => ({
    ...shareQuery(view.current),
    enabled: view.current.range === undefined,
  }));
  /** Undefined until the server has answered where a period begins. */
  readonly #range = stable(() => {
    const answer = this.period.isPlaceholderData ? undefined : this.period.data?.range;
    const range = view.current.range ?? answer;
    return range && { start: range.start, end: range.end };
  });
  readonly isRangeKnown = $derived(this.#range.current !== undefined);
  /** The viewport of the address. `origin` is the last one that no move led to: the limits reach around it. */
  readonly #shown = $derived.by(() => {
    const range = this.#range.current;
    if (!range) return { viewport: this.#latest, origin: this.#latest };
    if (isEqual(range, this.#written.range)) return this.#written.shown;
    const [start = 0, end = 0] = [range.start, range.end].map(parseMoment);
    const viewport = { start, end: Math.max(end, start + SHORTEST) };
    this.#latest = viewport;
    return { viewport, origin: viewport };
  });
  viewport = $derived(this.#shown.viewport);
  /** The viewport after the last move: what tiles are requested for. */
  #rested = $derived(this.#shown.viewport);
  readonly isShown = $derived(this.viewport !== NOTHING);
  readonly #hasChosenLanes = $derived(this.address.lanes.length > 0 && this.address.lanes[0] !== "device");
  readonly limits = $derived.by(() => {
    const { origin } = this.#shown;
    const { start, end } = origin === NOTHING ? this.recorded : origin;
    return limitsOf(Math.min(this.recorded.start, start), Math.max(this.recorded.end, end));
  });
  width = $state(0);
  readonly level = $derived(levelOf(this.viewport, this.width));
  readonly msPerPixel = $derived(length(this.viewport) / Math.max(1, this.width));
  selection = $derived(this.address.selection);
  focus = $state.raw<Place | undefined>(undefined);
  /** Where the pointer is, in pixels. */
  pointer = $state.raw<{ readonly x: number; readonly y: number } | undefined>(undefined);
  /** What is under the pointer, also after the lanes have moved below it. */
  readonly hover = $derived.by(() => {
    if (!this.pointer) return undefined;
    const { x, y } = this.pointer;
    return { time: timeAt(x, this.viewport, this.width), y, found: this.under(x, y) };
  });
  /** False while something else is shown than lanes, which loads no tiles. */
  showsLanes = $state(true);

  // The tiles. An address that changes elsewhere must not load them again.
  readonly #question = stable((): TileQuestion => {
    const { lanes, color } = this.address;
    const field = FIELD_OF[color];
    return {
      ...this.common,
      ...(lanes.length ? { lanes: [...lanes] } : {}),
      ...(field ? { color: field } : {}),
    };
  });
  readonly #coloring = $derived<Coloring>(
    this.address.color !== "category" ? "key" : coloring.isByApp ? "app" : "category",
  );
  readonly #asked = $derived.by(() => {
    const question = this.#question.current;
    const texts = new Texts();
    const tiles = new TileStore(
      async (address, signal) => {
        const { start, end } = tileRange(address);
        const answer = await fetchTimeline(question, moment(start), moment(end), TILE, signal);
        return readTile(answer, start, end, texts);
      },
      () => this.#changed(),
    );
    return { question, texts, tiles };
  });
  readonly texts = $derived(this.#asked.texts);
  /** Another coloring paints the same tiles. */
  readonly painter = $derived(new Painter(this.texts, this.#coloring));
  // Beyond a week there are days instead of lanes. Buckets that were chosen stay lanes, and the table has events.
  readonly #mayHaveDays = $derived(this.isShown && !this.#hasChosenLanes && this.address.view === "lanes");
  readonly #daysRange = stable(() =>
    this.#mayHaveDays && isByDay(this.#rested)
      ? daysAround(this.#rested, this.zone, preferences.value.day_start)
      : undefined,
  );
  readonly #daysQuery = createQuery(() => {
    const { start, end, bin } = this.#daysRange.current ?? { start: 0, end: 1, bin: "day" as const };
    return {
      ...queries.series({
        ...this.common,
        start: moment(start),
        end: moment(end),
        bin,
        by: this.#coloring === "app" ? "app" : PARTS_OF[this.address.color],
        top: MOST_PARTS,
        ...(this.#coloring === "category" ? level.query : {}),
      }),
      enabled: this.#daysRange.current !== undefined,
    };
  });
  readonly #wantsDays = $derived(this.#mayHaveDays && isByDay(this.viewport) && !this.#daysQuery.error);
  readonly #areDaysLoaded = $derived(
    this.#daysQuery.data !== undefined && !this.#daysQuery.isPlaceholderData,
  );
  /** The days, once they are there: until then the lanes stay. */
  readonly #days = $derived(
    this.#wantsDays && this.#daysQuery.data ? daysOf(this.#daysQuery.data, this.texts) : undefined,
  );
  readonly isByDay = $derived(this.#days !== undefined);

  /** The tile store, which is not reactive itself: `#change` is another object after each of its changes. */
  #change = $state.raw({});
  readonly #tiles = $derived({ store: this.#asked.tiles, change: this.#change });
  readonly #needed = $derived(neededTiles(this.#rested, levelOf(this.#rested, this.width)));
  /** Whether all tiles of the screen are loaded, or could not be. */
  readonly isSettled = $derived(
    this.isShown &&
      this.width > 0 &&
      (this.#wantsDays ? this.#areDaysLoaded : this.#tiles.store.isLoaded(this.#needed.seen)),
  );
  readonly #unsettled = debounced(() => !this.isSettled, SLOW);
  /** Whether a part of the screen has been missing for a moment. */
  readonly isWaiting = $derived(!this.isSettled && this.#unsettled.current);
  /** Whether a tile is being loaded, also one beside the screen. */
  readonly isLoading = $derived(!this.#tiles.store.isIdle);
  readonly failures = $derived(this.#tiles.store.failures);

  // The lanes and their spans.
  /** The lanes of the newest tile; until there is one, those to expect, so that nothing moves when it arrives. */
  readonly lanes: readonly Lane[] = $derived(
    this.#tiles.store.tiles.at(-1)?.lanes ??
      expectedLanes(this.buckets.data?.buckets ?? [], view.current.devices, this.address.lanes),
  );
  // Moving within a week changes nothing. Buckets that were chosen are shown alone.
  readonly #weeks = stable(() =>
    !this.isShown || this.#hasChosenLanes
      ? []
      : weeksOf(this.viewport, this.zone, preferences.value.day_start),
  );
  readonly #sessionsQuery = createQuery(() => {
    const weeks = this.#weeks.current;
    const each = weeks.map((week) => sessionsQuery(week, this.common));
    return {
      queryKey: ["data", "sessions of weeks", weeks, this.common],
      queryFn: async () =>
        (await Promise.all(each.map((week) => queryClient.fetchQuery(week)))).flatMap(
          (week) => week.sessions,
        ),
      enabled: weeks.length > 0,
    };
  });
  /** The sessions around the viewport, or undefined if their lane is not shown. Before the range is known it is kept free. */
  readonly #sessions: Spans | undefined = $derived(
    this.#hasChosenLanes || (this.isShown && this.#weeks.current.length === 0)
      ? undefined
      : sessionSpans(this.#sessionsQuery.data ?? [], this.texts),
  );
  readonly #areSessionsLoaded = $derived(
    this.#sessions === undefined ||
      this.#sessionsQuery.error !== null ||
      (this.#sessionsQuery.data !== undefined && !this.#sessionsQuery.isPlaceholderData),
  );
  readonly allLanes: readonly Lane[] = $derived(
    byDevice(this.#sessions ? [SESSIONS, ...this.lanes] : this.lanes),
  );
  #edits = $state.raw<readonly Edit[]>([]);
  /** The tiles of the screen and of one screen on each side: the first and the last. */
  readonly #tilesAround = stable(() => {
    const { start, end } = this.viewport;
    const tiles = tilesOf({ start: 2 * start - end, end: 2 * end - start }, this.level);
    return { level: this.level, first: tiles[0]?.index ?? 0, last: tiles.at(-1)?.index ?? 0 };
  });
  /** The spans of each lane, in the order of the layout. */
  readonly strips: readonly Strip[] = $derived.by(() => {
    if (this.#days) return [daysStrip(this.#days, this.painter)];
    const { level, first, last } = this.#tilesAround.current;
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
  /** The ids of lanes to collapse. They change only once everything is loaded, never during a move. */
  readonly #lanesToCollapse = stable(() => {
    if (!this.#isAtRest) return this.#collapsed;
    // The lane of sessions keeps its height until it is known that there are none.
    const empty = emptyLanes(this.strips, this.viewport).filter(
      (id) => id !== SESSIONS.id || this.#areSessionsLoaded,
    );
    return (this.#collapsed = empty.length < this.strips.length ? empty : []);
  });
  laneHeight = $state(28);
  /** The height of the screen that the lanes may fill. */
  minHeight = $state(0);
  readonly layout: Layout = $derived(
    this.isByDay
      ? layoutOfDays(this.minHeight)
      : layoutOf(this.allLanes, this.laneHeight, {
          minHeight: this.minHeight,
          empty: new Set(this.#lanesToCollapse.current),
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

  readonly #overview = overviewOf(this);
  /** How much there is around the screen. */
  readonly around = $derived(this.#overview.current);

  constructor() {
    $effect(() => {
      const range = this.#range.current;
      if (!range) return;
      showRange({ ...range, tz: this.zone });
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
      if (this.buckets.data) tiles.bounds = this.recorded;
      tiles.want(this.#wantsDays ? NO_TILES : this.#needed);
      this.#changed();
    });
    $effect(() => {
      void this.#change;
      if (this.isSettled || this.hasNothing || !this.showsLanes)
        for (const done of this.#waiting.splice(0)) done();
    });
    followQueries(this);
    onMount(() => {
      const stop = followStream(this);
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
    if (this.isSettled || this.hasNothing || !this.showsLanes) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  find(place: Place | undefined): Found | undefined {
    if (!place) return undefined;
    const laneIndex = this.strips.findIndex(({ lane }) => lane.id === place.lane);
    const strip = this.strips[laneIndex];
    return strip && this.at(laneIndex, placeOfSpan(strip.spans, place.id, place.start));
  }

  /** The span at a point of the screen. */
  under(x: number, y: number): Found | undefined {
    const lane = laneAt(this.layout, y);
    const strip = this.strips[lane];
    if (!strip) return undefined;
    return this.at(lane, hit(strip.spans, timeAt(x, this.viewport, this.width), REACH * this.msPerPixel));
  }

  /** The parts of a day. */
  partsOf({ lane, place }: Found): readonly DayPart[] {
    return lane === DAYS ? (this.#days?.parts[place] ?? []) : [];
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
      range,
      shown: { viewport, origin: this.#shown.origin },
    };
    // The first step away from a period can be undone with Back; later steps replace it.
    changeView({ range }, { replace: view.current.range !== undefined });
  }
}
