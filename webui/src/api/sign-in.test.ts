import { describe, expect, it } from "vitest";
import { codeOf } from "./sign-in";

describe("the code of a link", () => {
  it("stands behind the #", () => expect(codeOf("#code=abc-123")).toBe("abc-123"));
  it("is not a page", () => {
    expect(codeOf("#/query?code=abc")).toBeNull();
    expect(codeOf("#/today")).toBeNull();
    expect(codeOf("")).toBeNull();
  });
});
