import { expect, it } from "vitest";
import { readMessages } from "./live";

/** A stream whose bytes arrive in pieces of this length, which also splits characters. */
function streamOf(text: string, length: number): ReadableStream<BufferSource> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.slice(at, at + length));
      controller.close();
    },
  });
}

it.each([1, 7, 1000])("reads messages that arrive in pieces of %i bytes", async (length) => {
  const taken: unknown[] = [];
  const text =
    'retry: 1000\n\nid: a-1\nevent: settings\ndata: {"key":"a: ü"}\n\n: ping\n\nid: a-2\nevent: reset\ndata: {}\n\nid: a-3';
  await readMessages(streamOf(text, length), (fields) => taken.push(fields));
  expect(taken).toEqual([
    { retry: "1000" },
    { id: "a-1", event: "settings", data: '{"key":"a: ü"}' },
    { "": "ping" },
    { id: "a-2", event: "reset", data: "{}" },
  ]);
});
