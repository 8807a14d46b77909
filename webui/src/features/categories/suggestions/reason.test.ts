import { expect, test } from "vitest";
import type { Suggestion } from "../../../core/api/schema";
import { reasonText } from "./reason";

const suggestion = (rest: Partial<Suggestion>) =>
  ({ value: "Slack", reason: "…", topic: null, ...rest }) as Suggestion;

test.each([
  [{ reason_code: "known_app", topic: "chat" }, "Slack is an app for chat."],
  [
    { reason_code: "known_host", topic: "mail", value: "mail.example.org" },
    "Sites whose address starts with “mail.” are usually for mail.",
  ],
  [{ reason_code: "word" }, "Several titles without a category contain this word."],
] as const)("a code with its values is a sentence", (given, sentence) => {
  expect(reasonText(suggestion(given))).toBe(sentence);
});
