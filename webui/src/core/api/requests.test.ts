import { expect, it } from "vitest";
import { addressOf, requestsTo } from "./requests";

it("a path has its parameters escaped, and a list as a repeated one", () => {
  const address = addressOf("/api/0/buckets/{bucket_id}/events", {
    path: { bucket_id: "a/b é" },
    query: { limit: 5, device: ["x y", "z"], empty: [], missing: undefined, flag: false },
  });
  expect(address).toBe("/api/0/buckets/a%2Fb%20%C3%A9/events?limit=5&device=x%20y&device=z&flag=false");
});

it("a request has the method, the headers and the body as JSON, and its response is parsed", async () => {
  const sent: [unknown, RequestInit | undefined][] = [];
  const answers = [new Response('{"id":7}'), new Response(null, { status: 204 })];
  const api = requestsTo(
    "/base",
    () => ({ "X-Dayline": "secret" }),
    async (address, init) => {
      sent.push([address, init]);
      return answers.shift() ?? Response.error();
    },
  );
  const { data } = await api.PUT("/api/1/projects", {
    params: { header: { "If-Match": '"1"' } },
    body: { projects: [] },
  });
  expect(data).toEqual({ id: 7 });
  const [[address, init] = []] = sent;
  expect([address, init?.method, init?.body]).toEqual(["/base/api/1/projects", "PUT", '{"projects":[]}']);
  expect(init?.headers).toEqual([
    ["Content-Type", "application/json"],
    ["X-Dayline", "secret"],
    ["If-Match", '"1"'],
  ]);
  expect((await api.GET("/api/1/projects")).data).toBeUndefined();
  expect(sent[1]?.[1]?.headers).toEqual([["X-Dayline", "secret"]]);
});

it("an error has its body, also if a proxy sends no JSON", async () => {
  const bodies = ['{"message":"no such bucket"}', "<h1>Bad gateway</h1>"];
  const api = requestsTo(
    "",
    () => ({}),
    async () => new Response(bodies.shift(), { status: 502 }),
  );
  expect((await api.GET("/api/1/projects")).error).toEqual({ message: "no such bucket" });
  expect((await api.GET("/api/1/projects")).error).toBe("<h1>Bad gateway</h1>");
});
