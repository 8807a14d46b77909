import { expect, it } from "vitest";
import { parseData } from "./data";

it("takes a JSON object and nothing else", () => {
  expect(parseData('{"app": "Code"}')).toEqual({ app: "Code" });
  for (const text of ["", "[]", "3", "null", "{"]) expect(parseData(text)).toBeUndefined();
});
