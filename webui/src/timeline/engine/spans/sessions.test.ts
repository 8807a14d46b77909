import { expect, it } from "vitest";
import { Texts } from "./model";
import { sessionSpans } from "./sessions";

it("sessions have their title, app and category", () => {
  const texts = new Texts();
  const spans = sessionSpans(
    [
      {
        start: "2026-03-05T10:00:00Z",
        end: "2026-03-05T10:30:00Z",
        active: 1700,
        app: "Code",
        title: "main.py",
        category: ["Work", "Code"],
        device: "laptop",
        truncated: [],
      },
    ],
    texts,
  );
  expect(spans.size).toBe(1);
  expect(texts.keys[spans.key[0] ?? -1]).toBe("Code");
  expect(texts.titles[spans.title[0] ?? -1]).toBe("main.py");
  expect(texts.categories[spans.cat[0] ?? -1]).toEqual(["Work", "Code"]);
});
