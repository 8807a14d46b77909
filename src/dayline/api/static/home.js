// Keeps the page at `/` true: reads the buckets every few seconds, and says so when nobody answers.

const EVERY_MS = 5_000;
const PATIENCE_MS = 8_000; // a server that takes longer than this to list its buckets is not well
const RETRY_MS = [1_000, 2_000, 5_000, 10_000];
const RECORDING_MS = 3 * 60_000; // the slowest of the usual watchers, the browser's, sends once a minute
const USUAL_PORT = "5600";
const TESTING_PORT = "5666";

const byId = (id) => document.getElementById(id);
const page = {
  state: byId("state"), headline: byId("headline"), facts: byId("facts"), section: byId("buckets"), wait: byId("wait"),
  tally: byId("tally"), notice: byId("notice"), full: byId("full"), empty: byId("empty"), rows: byId("rows"),
  row: byId("row"), file: byId("file"), demo: byId("demo-command"), watcher: byId("watcher-command"),
  watcherNote: byId("watcher-note"), signIn: byId("sign-in"), signInForm: byId("sign-in-form"),
  health: byId("health"), problems: byId("problems"),
  signInNotice: byId("sign-in-notice"), key: byId("key"), signOut: byId("sign-out"),
};

let info = null;
let lastAnswer = null;
let failures = 0;
let timer = 0;
let turn = 0;

async function ask(path) {
  const response = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
  if (response.status === 401) throw new NotSignedIn();
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return await response.json();
}

class NotSignedIn extends Error {}

/** A call that changes something: the header says that it comes from a page of ours, and not from a form elsewhere. */
function send(method, path, body) {
  return fetch(path, { method, headers: { "Content-Type": "application/json", "X-Dayline": "1" }, body });
}

async function refresh() {
  clearTimeout(timer);
  const mine = ++turn;
  try {
    // Asked for again after a failure: the server that is back may be another version.
    info ??= await ask("api/0/info");
    // Whoever may not know about the server as a whole sees the buckets all the same.
    const [buckets, health] = await Promise.all([ask("api/0/buckets/"), ask("api/1/health").catch(() => null)]);
    if (mine !== turn) return; // a newer call has taken over
    failures = 0;
    lastAnswer = new Date();
    showRunning();
    showProblems(health?.problems ?? []);
    showBuckets(Object.values(buckets));
    showSignedIn();
  } catch (error) {
    if (mine !== turn) return;
    if (error instanceof NotSignedIn) {
      failures = 0;
      showRunning();
      showSignIn();
      return; // nothing to ask until somebody has signed in
    }
    info = null;
    failures += 1;
    showLost();
  }
  // A page that nobody looks at asks nothing; becoming visible asks at once.
  if (!document.hidden) timer = setTimeout(refresh, failures ? RETRY_MS[Math.min(failures, RETRY_MS.length) - 1] : EVERY_MS);
}

function showRunning() {
  page.state.dataset.state = "running";
  setText(page.headline, "The server is running");
  const version = info.version.split(" ")[0];
  const parts = [`Dayline ${version}`, `on ${info.hostname}`, `at ${location.host}`];
  if (info.testing) parts.push("in testing mode, with data of its own");
  setText(page.facts, parts.join(" · "));
  document.title = "Dayline";
}

/** What the server says is wrong, each with what mends it. */
function showProblems(problems) {
  page.health.hidden = problems.length === 0;
  const said = JSON.stringify(problems);
  if (page.problems.dataset.said === said) return;
  page.problems.dataset.said = said;
  page.problems.replaceChildren(...problems.map(({ message, hint, since }) => {
    const item = document.createElement("li");
    const text = document.createElement("p");
    text.textContent = since ? `${message} (since ${new Date(since).toLocaleString()})` : message;
    item.append(text);
    if (hint) {
      const mend = document.createElement("p");
      mend.className = "hint";
      mend.textContent = hint;
      item.append(mend);
    }
    return item;
  }));
}

function showSignIn() {
  const isNew = page.signIn.hidden;
  page.signIn.hidden = false;
  page.section.hidden = true;
  page.signOut.hidden = true;
  if (isNew) page.key.focus();
}

function showSignedIn() {
  page.signIn.hidden = true;
  page.section.hidden = false;
}

/** Sign in with a key, or with the code of a link; what is wrong with it, or nothing. */
async function signIn(credentials) {
  try {
    const response = await send("POST", "api/1/session", JSON.stringify(credentials));
    if (response.ok) return null;
    const answer = await response.json();
    return answer.message;
  } catch {
    return "the server does not answer";
  }
}

async function signInWithKey(event) {
  event.preventDefault();
  const problem = await signIn({ key: page.key.value.trim() });
  page.signInNotice.dataset.kind = "failed";
  setText(page.signInNotice, problem ?? "");
  if (problem) {
    page.key.select();
    return;
  }
  page.key.value = "";
  await start();
}

async function signInWithLink() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (!code) return;
  history.replaceState(null, "", location.pathname + location.search); // it works once: nobody is to find it again
  const problem = await signIn({ code });
  page.signInNotice.dataset.kind = "failed";
  setText(page.signInNotice, problem ?? "");
}

async function signOut() {
  await send("DELETE", "api/1/session");
  await start();
}

async function start() {
  await signInWithLink();
  const session = await ask("api/1/session").catch(() => null);
  if (session?.needs_key && !session.is_signed_in) {
    info = await ask("api/0/info").catch(() => null);
    if (info) showRunning();
    showSignIn();
    return;
  }
  page.signOut.hidden = !session?.is_signed_in;
  await refresh();
}

function showLost() {
  page.state.dataset.state = "lost";
  setText(page.headline, "The server does not answer");
  const since = lastAnswer ? `Last answer at ${lastAnswer.toLocaleTimeString()}. ` : "";
  setText(page.facts, `${since}Start it with dayline serve; this page goes on by itself.`);
  document.title = "Dayline: not connected";
  // What is shown is from the last answer; whether it still records, nobody knows.
  setText(page.tally, page.rows.children.length ? `${page.rows.children.length} when last seen` : "");
  for (const row of page.rows.children) {
    row.dataset.condition = "unknown";
    setText(row.querySelector(".word"), "not known");
  }
}

function showBuckets(buckets) {
  const now = Date.now();
  const shown = buckets.map((bucket) => describe(bucket, now)).sort(newestFirst);
  const recording = shown.filter((bucket) => bucket.condition === "recording").length;
  setText(page.tally, shown.length ? `${shown.length} in all, ${recording} recording` : "none yet");
  page.wait.hidden = true;
  page.full.hidden = shown.length === 0;
  page.empty.hidden = shown.length > 0;
  page.section.setAttribute("aria-busy", "false");
  if (shown.length === 0) fillCommands();
  const known = new Map([...page.rows.children].map((row) => [row.dataset.id, row]));
  const rows = shown.map((bucket) => fill(known.get(bucket.id) ?? newRow(bucket.id), bucket));
  // Rows stay where they are as long as the order does: a selection or a screen reader's place is kept.
  if (rows.length !== known.size || rows.some((row, place) => page.rows.children[place] !== row)) page.rows.replaceChildren(...rows);
}

function describe(bucket, now) {
  const updated = bucket.last_updated ? Date.parse(bucket.last_updated) : null;
  const age = updated === null ? null : now - updated;
  const isRecording = age !== null && Math.abs(age) <= RECORDING_MS;
  const word = isRecording ? "recording" : age === null ? "no events yet" : age < 0 ? "ahead of the clock" : "silent";
  return {
    id: bucket.id, type: bucket.type, host: bucket.hostname, updated, word,
    condition: isRecording ? "recording" : "silent",
    ago: updated === null ? "never" : isRecording && age < 1_000 ? "now" : age < 0 ? `in ${span(-age)}` : `${span(age)} ago`,
  };
}

function newestFirst(one, other) {
  return (other.updated ?? 0) - (one.updated ?? 0) || one.id.localeCompare(other.id);
}

function span(ms) {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

function newRow(id) {
  const row = page.row.content.firstElementChild.cloneNode(true);
  row.dataset.id = id;
  return row;
}

function fill(row, bucket) {
  row.dataset.condition = bucket.condition;
  setText(row.querySelector(".id"), bucket.id);
  setText(row.querySelector(".word"), bucket.word);
  setText(row.querySelector(".type"), bucket.type);
  setText(row.querySelector(".host"), bucket.host);
  const time = row.querySelector("time");
  setText(time, bucket.ago);
  if (bucket.updated !== null) {
    time.dateTime = new Date(bucket.updated).toISOString();
    time.title = new Date(bucket.updated).toLocaleString();
  }
  return row;
}

/** What somebody says in data is text, never markup; what has not changed is not written again. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function fillCommands() {
  const port = location.port || "80";
  const isUsual = port === (info.testing ? TESTING_PORT : USUAL_PORT);
  const flags = [info.testing ? " --testing" : "", isUsual ? "" : ` --port ${port}`].join("");
  setText(page.watcher, `aw-watcher-window${flags}`);
  setText(page.watcherNote, flags ? "This server has a port of its own, so tell them:" : "They look for a server on this port by themselves.");
  setText(page.demo, port === USUAL_PORT ? "dayline demo --days 30" : `dayline demo --days 30 --to ${location.origin}`);
}

async function importFile() {
  const [file] = page.file.files;
  if (!file) return;
  page.file.disabled = true;
  tell(`Importing ${file.name}…`);
  try {
    const response = await send("POST", "api/0/import", file);
    const answer = await response.json();
    if (response.ok) tell(reportOf(answer));
    else tell([answer.message, answer.hint].filter(Boolean).join("; "), "failed");
  } catch {
    tell("The server went away during the import. Sending the file again goes on where it was.", "failed");
  }
  page.file.disabled = false;
  page.file.value = "";
  await refresh();
}

function reportOf({ buckets, imported, skipped, invalid, dropped = 0 }) {
  const number = (count) => count.toLocaleString();
  const rest = [skipped && `${number(skipped)} were there already`, invalid && `${number(invalid)} could not be used`, dropped && `${number(dropped)} were dropped by privacy rules`].filter(Boolean);
  return `Imported ${number(imported)} events in ${number(buckets)} buckets${rest.length ? ` (${rest.join(", ")})` : ""}.`;
}

function tell(text, kind = "done") {
  page.notice.dataset.kind = kind;
  setText(page.notice, text);
}

page.file.addEventListener("change", importFile);
page.signInForm.addEventListener("submit", signInWithKey);
page.signOut.addEventListener("click", signOut);
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
window.addEventListener("hashchange", start); // a link of `dayline open`, pasted into the page that is open
start();
