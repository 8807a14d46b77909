// What changes with every move of the pointer: the selection, the cursor, and which span is meant.
import type { Layout } from "../../engine/paint/layout";
import type { Tokens } from "./tokens";
import { placeOf, type Viewport } from "../../engine/viewport/viewport";

interface Marked {
  readonly laneIndex: number;
  readonly span: Viewport;
}

export interface OverlayScene {
  readonly viewport: Viewport;
  readonly width: number;
  readonly height: number;
  readonly layout: Layout;
  readonly selection: Viewport | undefined;
  readonly cursor: number | undefined;
  readonly hovered: Marked | undefined;
  readonly focused: Marked | undefined;
  readonly opened: Marked | undefined;
}

export function drawOverlay(context: CanvasRenderingContext2D, scene: OverlayScene, tokens: Tokens): void {
  const { viewport, width, height, selection, cursor } = scene;
  context.clearRect(0, 0, width, height);
  if (selection) {
    const left = Math.max(-2, placeOf(selection.start, viewport, width));
    const right = Math.min(width + 2, placeOf(selection.end, viewport, width));
    if (right >= 0 && left <= width) {
      context.globalAlpha = 0.14;
      context.fillStyle = tokens.accent;
      context.fillRect(left, 0, right - left, height);
      context.globalAlpha = 1;
      context.fillRect(Math.round(left) - 1, 0, 2, height);
      context.fillRect(Math.round(right) - 1, 0, 2, height);
    }
  }
  if (cursor !== undefined) {
    context.globalAlpha = 0.5;
    context.fillStyle = tokens.text;
    context.fillRect(Math.round(placeOf(cursor, viewport, width)), 0, 1, height);
    context.globalAlpha = 1;
  }
  outline(context, scene, scene.hovered, tokens.text, 1.5, tokens.surface);
  outline(context, scene, scene.opened, tokens.accent, 2, tokens.surface);
  outline(context, scene, scene.focused, tokens.ring, 2.5, tokens.surface);
}

function outline(
  context: CanvasRenderingContext2D,
  { layout, viewport, width }: OverlayScene,
  marked: Marked | undefined,
  color: string,
  line: number,
  ground: string,
): void {
  const row = marked && layout.lanes[marked.laneIndex];
  if (!row) return;
  const left = Math.max(-8, placeOf(marked.span.start, viewport, width));
  const right = Math.min(width + 8, Math.max(left + 2, placeOf(marked.span.end, viewport, width)));
  const box = [left - 1, row.top - 1, right - left + 2, row.height + 2] as const;
  // A line of the ground's color inside, so that the outline is seen on every paint.
  context.strokeStyle = ground;
  context.lineWidth = line + 2;
  context.strokeRect(...box);
  context.strokeStyle = color;
  context.lineWidth = line;
  context.strokeRect(...box);
}
