// Drives the browser by orders from standard input, a line of JSON each, and answers each with a line on standard output.
//
//   {"open": {"viewport": …, "colorScheme": …}}       a new page in a context of its own; the one before is closed
//   {"chain": [["getByRole", "button"], ["click"]]}   calls on the page, each on what the one before gave
//   {"block": "…/file.js"}                            requests that match fail from now on
//   {"seen": true}                                    what the page has asked for, and what went wrong in it
import { createInterface } from "node:readline";
import { launch } from "../../webui/e2e/launch.ts";

const browser = await launch();
let context;
let page;
let seen;

async function open(options) {
  await context?.close();
  context = await browser.newContext(options);
  page = await context.newPage();
  page.setDefaultTimeout(40_000);
  const mine = (seen = { requests: [], problems: [] });
  page.on("request", (request) => mine.requests.push(request.url()));
  // A breach of the content security policy is an error on the console.
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) mine.problems.push(message.text());
  });
  page.on("pageerror", (error) => mine.problems.push(String(error)));
}

async function obey(order) {
  if (order.open) return await open(order.open);
  if (order.block) return await page.route(order.block, (route) => route.abort());
  if (order.seen) return seen;
  let value = page;
  for (const [name, ...args] of order.chain) value = typeof value[name] === "function" ? await value[name](...args) : value[name];
  return value;
}

const plain = (value) => (value === undefined || typeof value !== "object" || value?.constructor === Object || Array.isArray(value) ? value : null);

for await (const line of createInterface({ input: process.stdin })) {
  let answer;
  try {
    answer = { value: plain(await obey(JSON.parse(line))) ?? null };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await browser.close();
