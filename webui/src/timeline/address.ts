// What the address says of the timeline beside the range: lanes, colours, selection, the event that is open, the table.
import { moment, type Viewport } from "./viewport";

export const COLOURS = ["category", "shown", "title", "domain", "project"] as const;
export type Colour = (typeof COLOURS)[number];

export interface TimelineAddress {
  /** [] stands for all buckets, ["device"] for one lane a device, else the ids of buckets. */
  readonly lanes: readonly string[];
  readonly colour: Colour;
  readonly selection: Viewport | undefined;
  readonly event: EventAddress | undefined;
  readonly isTable: boolean;
}

export interface EventAddress {
  readonly bucket: string;
  readonly id: number;
}

export function parseAddress(params: URLSearchParams): TimelineAddress {
  return {
    lanes: params.getAll("lanes").filter((lane) => lane !== "" && lane !== "bucket"),
    colour: COLOURS.find((each) => each === params.get("colour")) ?? "category",
    selection: parseSelection(params.get("selection")),
    event: parseEvent(params.get("event")),
    isTable: params.get("view") === "table",
  };
}

/** The changed parameters; what is usual is left out of the address. */
export function addressParams(
  changes: Partial<TimelineAddress>,
): Record<string, string | readonly string[] | undefined> {
  const params: Record<string, string | readonly string[] | undefined> = {};
  if ("lanes" in changes) params.lanes = changes.lanes;
  if ("colour" in changes) params.colour = changes.colour === "category" ? undefined : changes.colour;
  if ("selection" in changes)
    params.selection =
      changes.selection && `${moment(changes.selection.start)}/${moment(changes.selection.end)}`;
  if ("event" in changes) params.event = changes.event && `${changes.event.id}@${changes.event.bucket}`;
  if ("isTable" in changes) params.view = changes.isTable ? "table" : undefined;
  return params;
}

function parseSelection(text: string | null): Viewport | undefined {
  const [start = NaN, end = NaN] = (text ?? "").split("/").map(parseMoment);
  return end > start ? { start, end } : undefined;
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
