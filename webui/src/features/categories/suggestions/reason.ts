// Why a category is suggested: the server sends a code and values, the page has the sentence.
import type { Suggestion } from "../../../core/api/schema";
import { t, type Label } from "../../../core/i18n/translate.svelte";

const TOPICS: Readonly<Record<string, Label>> = {
  programming: () => t("topics.programming"),
  reference: () => t("topics.reference"),
  office: () => t("topics.office"),
  "note-taking": () => t("topics.note_taking"),
  planning: () => t("topics.planning"),
  design: () => t("topics.design"),
  "AI assistant": () => t("topics.AI_assistant"),
  mail: () => t("topics.mail"),
  chat: () => t("topics.chat"),
  meeting: () => t("topics.meeting"),
  reading: () => t("topics.reading"),
  course: () => t("topics.course"),
  shopping: () => t("topics.shopping"),
  banking: () => t("topics.banking"),
  "home and travel": () => t("topics.home_and_travel"),
  video: () => t("topics.video"),
  music: () => t("topics.music"),
  game: () => t("topics.game"),
  "social media": () => t("topics.social_media"),
  news: () => t("topics.news"),
  system: () => t("topics.system"),
  search: () => t("topics.search"),
};

export function reasonText({ value, reason, reason_code, topic }: Suggestion): string {
  const about = topic === null ? "" : (TOPICS[topic]?.() ?? topic);
  switch (reason_code) {
    case "known_app":
      return t("suggestions.knownApp", { value, topic: about });
    case "known_site":
      return t("suggestions.knownSite", { value, topic: about });
    case "known_host":
      return t("suggestions.knownHost", { first: value.split(".")[0] ?? value, topic: about });
    case "app":
      return t("suggestions.app");
    case "domain":
      return t("suggestions.domain");
    case "word":
      return t("suggestions.word");
    default:
      return reason;
  }
}
