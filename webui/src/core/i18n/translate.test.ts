import { afterEach, describe, expect, test } from "vitest";
import de from "./de.json";
import en from "./en.json";
import { formatNumber, inSentence } from "./format";
import { base, localeFor } from "./languages";
import { language, setLanguage, t } from "./translate.svelte";

afterEach(() => setLanguage(null)); // the files of a worker share their modules

describe("a text", () => {
  test("has its values in place of the placeholders", async () => {
    expect(t("shell.thereIsNoPageCalled", { page: "x" })).toBe("There is no page called “x”.");
    await setLanguage("de");
    expect(t("shell.thereIsNoPageCalled", { page: "x" })).toBe("Es gibt keine Seite namens „x“.");
  });

  test("keeps braces that are no placeholder, and takes values as they are", () => {
    expect(t("buckets.enterAJsonObjectSuchAsApp", {})).toContain('{"app": "Code"}');
    expect(t("shell.thereIsNoPageCalled", { page: "{page} $& $1" })).toContain("“{page} $& $1”");
  });

  test.each([
    ["en-GB", 0, "0 events"],
    ["en-GB", 1, "1 event"],
    ["en-GB", 412_003, "412,003 events"],
    ["de", 0, "0 Ereignisse"],
    ["de", 1, "1 Ereignis"],
    ["de", 412_003, "412.003 Ereignisse"],
  ])("in %s has the plural form of %d", async (tag, count, text) => {
    await setLanguage(tag);
    expect(t("common.eventCount", { count })).toBe(text);
  });

  test("is in German what it is in the catalog", async () => {
    await setLanguage("de-AT");
    expect(language.current).toBe("de");
    expect(t("common.cancel")).toBe(de.common.cancel);
    expect(de.common.cancel).not.toBe(en.common.cancel);
  });
});

describe("a language", () => {
  test.each([
    ["de", "de"],
    ["de-AT", "de"],
    ["DE-ch", "de"],
    ["en-US", "en"],
    ["fr-FR", "en"],
    ["deu", "en"],
  ])("of the tag %s is %s", (tag, expected) => expect(base(tag)).toBe(expected));

  test("formats numbers by its region", async () => {
    await setLanguage("de");
    expect(formatNumber(1234.5)).toBe("1.234,5");
    await setLanguage("en-GB");
    expect(formatNumber(1234.5)).toBe("1,234.5");
  });

  test("that names a region has its formats, and one that no browser knows does no harm", () => {
    expect(localeFor("en", "en-GB")).toBe("en-GB");
    expect(localeFor("de", "de-CH")).toBe("de-CH");
    expect(localeFor("en", "xx-!!")).toMatch(/^en/);
  });

  test("keeps nouns capitalized inside a sentence", async () => {
    expect(inSentence("Overlaps")).toBe("overlaps");
    await setLanguage("de");
    expect(inSentence("Überlappungen")).toBe("Überlappungen");
  });
});
