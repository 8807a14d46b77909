import { expect, it } from "vitest";
import { phaseOf, sentence } from "./recording-text";

const OFF = { enabled: false, state: "off", can_record: true, is_local: true, message: null } as const;

it("recording can be turned on where there is a session, on the computer of the server", () => {
  expect(phaseOf(OFF)).toBe("ready");
  expect(phaseOf({ ...OFF, can_record: false })).toBe("impossible");
  expect(phaseOf({ ...OFF, is_local: false })).toBe("remote");
  expect(phaseOf({ ...OFF, is_local: false, can_record: false })).toBe("remote");
});

it("a watcher that runs is shown as it is, wherever the page is open", () => {
  const on = { ...OFF, enabled: true, is_local: false };
  expect(phaseOf({ ...on, state: "starting" })).toBe("starting");
  expect(phaseOf({ ...on, state: "checking" })).toBe("starting");
  expect(phaseOf({ ...on, state: "recording" })).toBe("recording");
  expect(phaseOf({ ...on, state: "quiet" })).toBe("quiet");
  expect(phaseOf({ ...on, state: "failed" })).toBe("failed");
});

it("a message of the server becomes a sentence", () => {
  expect(sentence("there is no session")).toBe("There is no session.");
  expect(sentence("Is it running?")).toBe("Is it running?");
  expect(sentence(null)).toBe("");
});
