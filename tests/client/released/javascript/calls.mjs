// Reads calls from standard input, makes them with the released JavaScript client, answers.
// A timestamp, start or end becomes a Date, as in the client's own types.

import { createInterface } from "node:readline";
import { AWClient } from "aw-client";

const [name, baseURL] = process.argv.slice(2);
const client = new AWClient(name, { baseURL });
const TIMES = new Set(["timestamp", "start", "end"]);

// What the client has no method for, the way the web UI does it: through the client's own connection.
const webUi = {
  exportAll: async () => (await client.req.get("/0/export")).data,
  importFile: async (text) => {
    const form = new FormData();
    form.append("buckets.json", new Blob([text]), "export.json");
    return (await client.req.post("/0/import", form, { headers: { "Content-Type": "multipart/form-data" } })).data;
  },
  saveSetting: async (key, value) => {
    const headers = { "Content-Type": "application/json" };
    return (await client.req.post(`/0/settings/${key}`, JSON.stringify(value), { headers })).status;
  },
};

// All at once, as a watcher that does not wait: the client itself sends one after another.
const heartbeats = (bucketId, pulsetime, beats) =>
  Promise.all(beats.map((beat) => client.heartbeat(bucketId, pulsetime, beat))).then((done) => done.length);

async function perform(method, args) {
  if (method === "heartbeats") return heartbeats(...args);
  return method in webUi ? webUi[method](...args) : client[method](...args);
}

for await (const line of createInterface({ input: process.stdin })) {
  const call = JSON.parse(line, (key, value) => (TIMES.has(key) && typeof value === "string" ? new Date(value) : value));
  let answer;
  try {
    answer = { value: (await perform(call.method, call.arguments)) ?? null };
  } catch (error) {
    answer = { error: `${error.response?.status ?? error.name}: ${error.message}` };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
