// The current span of a day strip, set by pointer or keys.
import { spanAt, type Lane, type Span } from "./strip";

export interface Pointed {
  readonly lane: number;
  readonly index: number;
  readonly span: Span;
  readonly device: string;
}

export class StripCursor {
  readonly #lanes: () => readonly Lane[];
  #at = $state.raw<{ readonly lane: number; readonly start: number } | undefined>(undefined);

  constructor(lanes: () => readonly Lane[]) {
    this.#lanes = lanes;
  }

  /** The current span with its latest data: it may have grown. */
  readonly current = $derived.by((): Pointed | undefined => {
    const lane = this.#at && this.#lanes()[this.#at.lane];
    const index = lane?.spans.findIndex((span) => span.start === this.#at?.start) ?? -1;
    const span = lane?.spans[index];
    return lane && span && this.#at ? { lane: this.#at.lane, index, span, device: lane.device } : undefined;
  });

  pointAt(lane: number, moment: number, reach: number): void {
    this.#go(lane, spanAt(this.#lanes()[lane]?.spans ?? [], moment, reach));
  }

  /** Move by a number of spans; without a current span, start at the first or the last one. */
  walk(steps: number): void {
    const lane = this.current?.lane ?? 0;
    const spans = this.#lanes()[lane]?.spans ?? [];
    const from = this.current?.index ?? (steps > 0 ? -1 : spans.length);
    this.#go(lane, spans[Math.min(spans.length - 1, Math.max(0, from + steps))]);
  }

  /** Move to the span at the same time in another lane. */
  changeLane(steps: number): void {
    const lane = Math.min(this.#lanes().length - 1, Math.max(0, (this.current?.lane ?? 0) + steps));
    const spans = this.#lanes()[lane]?.spans ?? [];
    this.#go(lane, this.current ? spanAt(spans, this.current.span.start, Infinity) : spans[0]);
  }

  #go(lane: number, span: Span | undefined): void {
    this.#at = span && { lane, start: span.start };
  }
}
