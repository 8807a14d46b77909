// Why a category is suggested: the server sends a code and values, the page has the sentence. The texts are loaded with
// the page of categories, because the first page has no room for them.
import type { Suggestion } from "../../../core/api/schema";
import { language } from "../../../core/i18n/translate.svelte";
import reasons from "./reasons.json";

interface Texts {
  readonly sentences: Readonly<Record<string, string>>;
  readonly topics: Readonly<Record<string, string>>;
}

export function reasonText({ value, reason, reason_code, topic }: Suggestion): string {
  const { sentences, topics }: Texts = reasons[language.current];
  const values: Readonly<Record<string, string>> = {
    value,
    first: value.split(".")[0] ?? value,
    topic: topic === null ? "" : (topics[topic] ?? topic),
  };
  // The sentence of a newer server.
  const sentence = sentences[reason_code] ?? reason;
  return sentence.replace(/\{(\w+)\}/g, (hole, name: string) => values[name] ?? hole);
}
