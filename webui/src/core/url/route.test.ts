import { expect, test } from "vitest";
import { formatHash, parseHash } from "./route";

test("a route survives a round trip through the URL", () => {
  const params = new URLSearchParams([
    ["device", "a b"],
    ["filter", "title:has:50 % & more?"],
  ]);
  const route = parseHash(formatHash(["buckets", "a/b ü?#"], params));
  expect(route.path).toEqual(["buckets", "a/b ü?#"]);
  expect([...route.params]).toEqual([...params]);
});

test.each(["", "#", "#/", "#/?a=1"])("%j is the first page", (hash) =>
  expect(parseHash(hash).path).toEqual([]),
);

test("a badly encoded URL is taken literally", () =>
  expect(parseHash("#/buckets/50%").path).toEqual(["buckets", "50%"]));
