import { describe, expect, it } from "vitest";
import { callText, isPageRead, isRefused, sinceMoment, whoText } from "./audit/audit";
import { expiresAt } from "./keys/expiry";
import { parseBuckets, reach } from "./keys/scopes";
import { fileName, setups } from "./keys/setup";

const NOW = Date.parse("2026-03-05T12:00:30Z");

describe("the scope of a key", () => {
  it("is shown with its buckets", () => {
    expect(reach("append", ["aw-watcher-web-firefox"])).toBe("append-only · aw-watcher-web-firefox");
    expect(reach("read", [])).toBe("read-only · all buckets");
  });
  it("accepts bucket names separated by commas or lines, each once", () => {
    expect(parseBuckets(" a_*, b\n\nb ,")).toEqual(["a_*", "b"]);
  });
});

describe("expiry", () => {
  it("is a number of days from now, or never", () => {
    expect(expiresAt("30", NOW)).toBe("2026-04-04T12:00:30.000Z");
    expect(expiresAt("never", NOW)).toBeNull();
  });
});

describe("setup", () => {
  const key = { key: "dayline_k_secret", name: "My laptop!", scope: "append" as const, envelope: false };
  it("of an append key starts with the relay", () => {
    const [relay] = setups(key, "https://diary.lan:5600");
    expect(relay?.code).toContain("dayline relay --to https://diary.lan:5600 --key-file my-laptop.key");
    expect(relay?.code).not.toContain("--envelope");
  });
  it("encrypts over plain HTTP if the key can", () => {
    const [relay] = setups({ ...key, envelope: true }, "http://diary.lan:5600");
    expect(relay?.code).toContain("--envelope");
  });
  it("of a key that reads shows a call", () => {
    expect(setups({ ...key, scope: "read" }, "http://localhost:5600")[0]?.code).toContain(
      "Bearer dayline_k_secret",
    );
  });
  it("of a key that syncs starts sync", () => {
    expect(reach("sync", [])).toBe("sync");
    expect(setups({ ...key, scope: "sync" }, "https://diary.lan:5600")[0]?.code).toContain(
      "dayline sync start https://diary.lan:5600 --server-key-file my-laptop.key",
    );
  });
  it("always has a name for its file", () => {
    expect(fileName("…")).toBe("dayline");
  });
});

describe("lines of the audit log", () => {
  it("name the caller", () => {
    expect(whoText({ who: "key", key_id: "k1", key_name: "Grafana", status: 200 })).toBe("Grafana");
    expect(whoText({ who: "open", key_id: "", key_name: "", status: 200 })).toBe("No key needed");
  });
  it("name the page or extension that called", () => {
    const line = { who: "extension moz-extension://1", key_id: "", key_name: "", status: 200 };
    expect(whoText(line)).toBe("A browser extension (moz-extension://1)");
  });
  it("stand out if a call was denied", () => {
    expect([200, 401, 403, 404, 429].map((status) => isRefused({ status }))).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });
  it("are page reads if a browser, or a caller that needs no key, read successfully", () => {
    const line = { who: "session k1", call: "get_summary", status: 200 };
    expect(isPageRead(line)).toBe(true);
    expect(isPageRead({ ...line, who: "open", call: "search" })).toBe(true);
    expect(isPageRead({ ...line, who: "key" })).toBe(false);
    expect(isPageRead({ ...line, status: 403 })).toBe(false);
    expect(isPageRead({ ...line, call: "delete_bucket" })).toBe(false);
    expect(isPageRead({ ...line, call: "send_heartbeat" })).toBe(false);
  });
  it("name the call", () => {
    expect(callText("send_heartbeat")).toBe("Send heartbeat");
    expect(callText("delete_event 12")).toBe("Delete event 12");
    expect([callText(""), callText("-")]).toEqual(["Unknown call", "Unknown call"]);
  });
  it("are requested from a full minute on", () => {
    expect(sinceMoment("hour", NOW)).toBe("2026-03-05T11:00:00.000Z");
    expect(sinceMoment("ever", NOW)).toBeUndefined();
  });
});
