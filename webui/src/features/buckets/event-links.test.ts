import { expect, it } from "vitest";
import { linkOf } from "./event-links";

it.each([
  ["https://docs.example/a", "https://docs.example/a"],
  ["http://localhost:8000/", "http://localhost:8000/"],
  ["javascript:alert(1)", undefined],
  ["data:text/html,x", undefined],
  ["file:///etc/passwd", undefined],
  ["no address", undefined],
  [7, undefined],
])("of %s the link is %s", (url, link) => expect(linkOf({ url })).toBe(link));
