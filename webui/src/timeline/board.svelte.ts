// The state of a timeline: what is shown of which lanes, what is selected, and the tiles behind it.
import { stripOf, visible, type Strip } from "./draw";
import { placeOfSpan } from "./hit";
import { layoutOf, SESSIONS, type Layout } from "./layout";
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
  type Tile,
} from "./model";
import { Painter, type Colouring } from "./paint";
import { levelOf, neededTiles, piecesOf, tileKey, tileRange, tilesOf, TileStore, TILE } from "./tiles";
import type { TimelineAnswer } from "../api/schema";
import {
  fitting,
  length,
  limitsOf,
  moment,
  panned,
  revealing,
  SHORTEST,
  zoomed,
  type Limits,
  type Viewport,
} from "./viewport";

export type FetchTile = (
  start: string,
  end: string,
  px: number,
  signal: AbortSignal,
) => Promise<TimelineAnswer>;

/** A span in a lane, found again when tiles have changed. */
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

/** How long a zoom has to rest before tiles are asked for. */
const REST = 60;
/** How long before the address says where one is. */
const SETTLED = 300;

export class Board {
  viewport = $state.raw<Viewport>({ start: 0, end: 1 });
  width = $state(0);
  laneHeight = $state(28);
  lanes = $state.raw<readonly Lane[]>([]);
  selection = $state.raw<Viewport | undefined>(undefined);
  focus = $state.raw<Place | undefined>(undefined);
  hover = $state.raw<{ time: number; y: number; found: Found | undefined } | undefined>(undefined);
  /** Counts up with every tile that comes and with every change that is not saved yet. */
  version = $state(0);
  isSettled = $state(false);
  /** Whether a tile is being loaded, also one beside the screen. */
  isLoading = $state(false);
  limits = $state.raw<Limits>(limitsOf(Date.now() - 86_400_000, Date.now()));

  /** The height of the screen that the lanes may fill. */
  minHeight = $state(0);
  /** The sessions around the viewport, or undefined if their lane is not shown. */
  sessions = $state.raw<Spans | undefined>(undefined);
  /** The lanes without a span on the screen, once everything is loaded. */
  empty = $state.raw<ReadonlySet<string>>(new Set());

  readonly allLanes = $derived(this.sessions ? [SESSIONS, ...this.lanes] : this.lanes);
  readonly layout: Layout = $derived(
    layoutOf(this.allLanes, this.laneHeight, { minHeight: this.minHeight, empty: this.empty }),
  );
  readonly level = $derived(levelOf(this.viewport, this.width));
  readonly msPerPixel = $derived(length(this.viewport) / Math.max(1, this.width));

  texts = $state.raw(new Texts());
  painter = $state.raw(new Painter(this.texts, "category"));
  readonly #store: TileStore;
  #fetch: FetchTile | undefined;
  #edits: readonly Edit[] = [];
  #strips: { name: string; strips: readonly Strip[] } = { name: "", strips: [] };
  #asking: ReturnType<typeof setTimeout> | undefined;
  #settling: ReturnType<typeof setTimeout> | undefined;
  #waiting: (() => void)[] = [];
  #isShown = false;
  #isIdle = false;
  #known: Viewport = { start: Date.now() - 86_400_000, end: Date.now() };

  /** `settled` is called when one has come to rest somewhere. */
  constructor(private readonly settled: (viewport: Viewport) => void) {
    this.#store = new TileStore(
      async ({ level, index }, signal) => {
        const { start, end } = tileRange({ level, index });
        if (!this.#fetch) throw new Error("Nothing was asked for");
        const answer = await this.#fetch(moment(start), moment(end), TILE, signal);
        return readTile(answer, start, end, this.texts);
      },
      () => this.#changed(),
    );
  }

  /** Load other tiles: the lanes, filters or devices have changed. */
  ask(fetch: FetchTile, colouring: Colouring, lanes: readonly Lane[]): void {
    this.#fetch = fetch;
    this.texts = new Texts();
    this.painter = new Painter(this.texts, colouring);
    this.#store.clear();
    this.lanes = lanes;
    this.#changed();
    this.#want();
  }

  /** The lanes that there will be, so that nothing moves when they come. */
  expect(lanes: readonly Lane[]): void {
    if (this.#store.tiles.length === 0) this.lanes = lanes;
  }

  /** From when to when there is something at all. */
  set known(range: Viewport) {
    this.#store.bounds = range;
    this.#known = range;
    this.#limit();
    this.#want();
  }

  /** Show a stretch without telling: the address said so. */
  show(viewport: Viewport): void {
    this.#isShown = true;
    this.viewport = { start: viewport.start, end: Math.max(viewport.end, viewport.start + SHORTEST) };
    this.#limit();
    clearTimeout(this.#settling);
    this.#want();
  }

  resize(width: number): void {
    if (width === this.width) return;
    this.width = width;
    this.#want();
  }

  /** Go somewhere by one's own hand. */
  move(viewport: Viewport): void {
    this.viewport = viewport;
    clearTimeout(this.#asking);
    this.#asking = setTimeout(() => this.#want(), REST);
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => this.settled(this.viewport), SETTLED);
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

  /** Show these sessions above the lanes; undefined removes their lane. */
  showSessions(spans: Spans | undefined): void {
    this.sessions = spans;
    this.#changed();
  }

  get edits(): readonly Edit[] {
    return this.#edits;
  }

  /** Show a change before it is saved. The function that is given back takes it away again. */
  edit(edit: Edit): () => void {
    this.#edits = [...this.#edits, edit];
    this.#changed();
    return () => {
      this.#edits = this.#edits.filter((each) => each !== edit);
      this.#changed();
    };
  }

  /** Ask again for what is shown, or for a part of it; done when it is there. */
  async refresh(range?: Viewport): Promise<void> {
    this.#store.expire(range);
    this.#changed();
    await this.whenSettled();
  }

  retry(): void {
    this.#store.retry();
  }

  /** Nothing was ever recorded, so that nothing will come. */
  set isIdle(isIdle: boolean) {
    this.#isIdle = isIdle;
    if (isIdle) for (const done of this.#waiting.splice(0)) done();
  }

  whenSettled(): Promise<void> {
    if (this.isSettled || this.#isIdle) return Promise.resolve();
    return new Promise((done) => this.#waiting.push(done));
  }

  get failures(): { start: number; end: number; error: unknown }[] {
    return this.#store.failures;
  }

  /** The spans of each lane, in the order of the layout, with a screen on each side. */
  get strips(): readonly Strip[] {
    const { start, end } = this.viewport;
    const size = end - start;
    const around = { start: start - size, end: end + size };
    const tiles = tilesOf(around, this.level);
    const name = `${this.version} ${this.allLanes.length} ${tiles.map(tileKey).join(" ")}`;
    if (name === this.#strips.name) return this.#strips.strips;
    const parts = this.#store.parts(around, this.level);
    const strips = this.layout.lanes.map(({ lane }) =>
      stripOf(
        lane,
        lane === SESSIONS
          ? (this.sessions ?? NO_SPANS)
          : edited(
              joined(piecesOf(parts, lane.id)),
              this.#edits.filter((edit) => edit.lane === lane.id),
            ),
        this.painter,
      ),
    );
    this.#strips = { name, strips };
    return strips;
  }

  find(place: Place | undefined): Found | undefined {
    if (!place) return undefined;
    const laneIndex = this.layout.lanes.findIndex(({ lane }) => lane.id === place.lane);
    const strip = this.strips[laneIndex];
    if (!strip) return undefined;
    return this.at(laneIndex, placeOfSpan(strip.spans, place.id, place.start));
  }

  at(laneIndex: number, place: number): Found | undefined {
    const strip = this.strips[laneIndex];
    const span = strip && spanAt(strip.spans, place);
    return span && { lane: strip.lane, laneIndex, place, span };
  }

  /** Whether there is anything at all on the screen. */
  get isEmpty(): boolean {
    return this.strips.every((strip) => {
      const [from, to] = visible(strip, this.viewport);
      return from >= to;
    });
  }

  destroy(): void {
    clearTimeout(this.#asking);
    clearTimeout(this.#settling);
    this.#store.clear();
  }

  /** One can go wherever there is something, and where the address has led. */
  #limit(): void {
    const { start, end } = this.#isShown ? this.viewport : this.#known;
    this.limits = limitsOf(Math.min(this.#known.start, start), Math.max(this.#known.end, end));
  }

  #want(): void {
    clearTimeout(this.#asking);
    if (!this.#fetch || !this.#isShown || this.width === 0) return;
    this.#store.want(neededTiles(this.viewport, this.level));
    this.#changed();
  }

  /** Lanes without a span on the screen are collapsed, unless that would be all of them. */
  #collapse(): void {
    const ids = this.strips
      .filter((strip) => {
        const [from, to] = visible(strip, this.viewport);
        return from >= to;
      })
      .map(({ lane }) => lane.id);
    const empty = ids.length < this.allLanes.length ? ids : [];
    if (empty.length !== this.empty.size || empty.some((id) => !this.empty.has(id)))
      this.empty = new Set(empty);
  }

  #changed(): void {
    this.version += 1;
    this.lanes = mergedLanes(this.lanes, this.#store.tiles);
    this.isSettled = this.#isShown && this.width > 0 && this.#fetch !== undefined && this.#store.isSettled;
    if (this.isSettled) this.#collapse();
    // The next tile is requested right after this one has been reported.
    queueMicrotask(() => (this.isLoading = !this.#store.isIdle));
    if (this.isSettled) for (const done of this.#waiting.splice(0)) done();
  }
}

/** The lanes as the server has them in the newest tile; the same list where nothing is new. */
function mergedLanes(known: readonly Lane[], tiles: readonly Tile[]): readonly Lane[] {
  const all = tiles.at(-1)?.lanes ?? known;
  const isSame = all.length === known.length && all.every((lane, place) => lane.id === known[place]?.id);
  return isSame ? known : all;
}
