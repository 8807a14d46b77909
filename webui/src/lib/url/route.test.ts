import { expect, test } from "vitest";
import { formatHash, parseHash } from "./route";

test("a route goes into the address and comes back the same", () => {
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

test("what is encoded badly is taken as it is", () =>
  expect(parseHash("#/buckets/50%").path).toEqual(["buckets", "50%"]));
