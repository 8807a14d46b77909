// What the address says of the timeline beside the range: lanes, colors, selection, the event that is open, the table.
import { moment, type Viewport } from "./viewport";

export const COLORS = ["category", "shown", "title", "domain", "project"] as const;
export type Color = (typeof COLORS)[number];

export const MODES = ["lanes", "week", "table"] as const;
export type TimelineMode = (typeof MODES)[number];

export const TABLE_CONTENTS = ["sessions", "events"] as const;
export type TableContent = (typeof TABLE_CONTENTS)[number];

export interface TimelineAddress {
  /** [] means all buckets, ["device"] for one lane a device, else the ids of buckets. */
  readonly lanes: readonly string[];
  readonly color: Color;
  readonly selection: Viewport | undefined;
  readonly event: EventAddress | undefined;
  /** The span whose events are listed in the panel. */
  readonly inside: InsideAddress | undefined;
  readonly view: TimelineMode;
  /** What the rows of the table are. */
  readonly rows: TableContent;
}

export interface EventAddress {
  readonly bucket: string;
  readonly id: number;
}

export interface InsideAddress extends Viewport {
  readonly lane: string;
}

export function parseAddress(params: URLSearchParams): TimelineAddress {
  return {
    lanes: params.getAll("lanes").filter((lane) => lane !== "" && lane !== "bucket"),
    color: COLORS.find((each) => each === params.get("color")) ?? "category",
    selection: parseSelection(params.get("selection")),
    event: parseEvent(params.get("event")),
    inside: parseInside(params.get("inside")),
    view: MODES.find((each) => each === params.get("view")) ?? "lanes",
    rows: TABLE_CONTENTS.find((each) => each === params.get("rows")) ?? "sessions",
  };
}

/** The changed parameters; what is usual is left out of the address. */
export function addressParams(
  changes: Partial<TimelineAddress>,
): Record<string, string | readonly string[] | undefined> {
  const params: Record<string, string | readonly string[] | undefined> = {};
  if ("lanes" in changes) params.lanes = changes.lanes;
  if ("color" in changes) params.color = changes.color === "category" ? undefined : changes.color;
  if ("selection" in changes)
    params.selection =
      changes.selection && `${moment(changes.selection.start)}/${moment(changes.selection.end)}`;
  if ("event" in changes) params.event = changes.event && `${changes.event.id}@${changes.event.bucket}`;
  if ("inside" in changes)
    params.inside =
      changes.inside &&
      `${moment(changes.inside.start)}/${moment(changes.inside.end)}@${changes.inside.lane}`;
  if ("view" in changes) params.view = changes.view === "lanes" ? undefined : changes.view;
  if ("rows" in changes) params.rows = changes.rows === "sessions" ? undefined : changes.rows;
  return params;
}

function parseSelection(text: string | null): Viewport | undefined {
  const [start = NaN, end = NaN] = (text ?? "").split("/").map(parseMoment);
  return end > start ? { start, end } : undefined;
}

function parseInside(text: string | null): InsideAddress | undefined {
  const match = /^([^@]+)@(.+)$/s.exec(text ?? "");
  const range = parseSelection(match?.[1] ?? null);
  return range && match?.[2] ? { ...range, lane: match[2] } : undefined;
}

/** Milliseconds, with the parts of them that Date does not keep. */
export function parseMoment(text: string): number {
  const micros = /\.\d{3}(\d{1,3})/.exec(text)?.[1];
  return Date.parse(text) + (micros ? Number(micros.padEnd(3, "0")) / 1000 : 0);
}

function parseEvent(text: string | null): EventAddress | undefined {
  const match = /^(\d+)@(.+)$/s.exec(text ?? "");
  return match?.[1] && match[2] ? { id: Number(match[1]), bucket: match[2] } : undefined;
}
