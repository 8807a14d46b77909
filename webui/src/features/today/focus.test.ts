import { describe, expect, it } from "vitest";
import { endText, focusText } from "./focus";

const focus = {
  start: "2026-03-05T10:00:00+01:00",
  end: "2026-03-05T11:00:00+01:00",
  category: ["Work"],
  app: null,
};
const chat = { state: "active", category: ["Comms"], app: "Chat" } as const;
const away = { state: "away", category: null, app: null } as const;

describe("the longest focus", () => {
  it("names its interruptions", () => {
    const tolerated = [
      { ...chat, category: [...chat.category], seconds: 60 },
      { ...away, seconds: 30 },
    ];
    expect(focusText({ ...focus, interruptions: 2, interrupted: 90, tolerated })).toBe(
      "2 short interruptions (1m 30s): Chat, away",
    );
    expect(focusText({ ...focus, interruptions: 0, interrupted: 0, tolerated: [] })).toBe("No interruptions");
  });

  it("shows what ended it, unless it continues", () => {
    expect(endText({ ...focus, ended_by: { ...chat, category: [...chat.category] } })).toBe(
      "Ended by Chat (Comms)",
    );
    expect(endText({ ...focus, ended_by: away })).toBe("Then away");
    expect(endText({ ...focus, ended_by: null })).toBeUndefined();
  });
});
