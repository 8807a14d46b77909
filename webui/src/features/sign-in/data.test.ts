import { describe, expect, it } from "vitest";
import { codeOf } from "./data";

describe("the code of a sign-in link", () => {
  it("is in the fragment of the URL", () => expect(codeOf("#code=abc-123")).toBe("abc-123"));
  it("is not mistaken for a page", () => {
    expect(codeOf("#/query?code=abc")).toBeNull();
    expect(codeOf("#/today")).toBeNull();
    expect(codeOf("")).toBeNull();
  });
});
