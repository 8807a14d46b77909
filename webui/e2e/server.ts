// A real server with a store of its own: a copy of the seeded one, or an empty one.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { ServerProcess } from "./server-process.ts";

interface Options {
  readonly data?: "seeded" | "empty";
  readonly flags?: readonly string[];
  /** The settings file. */
  readonly settings?: string;
  /** Variables of its environment. */
  readonly variables?: Readonly<Record<string, string>>;
}

interface NewBucket {
  readonly type: string;
  /** The device; by default one that has the name of the bucket. */
  readonly hostname?: string;
  readonly client?: string;
  readonly events?: readonly unknown[];
}

/**
 * One person looks at a server of a test, and a process for queries takes most of a second to start. On a busy machine
 * a query takes as long as it takes.
 */
const ONE_QUERY_PROCESS = "[query]\nworkers = 1\nseconds = 600\n";

let names = 0;
let demo: Promise<Server> | undefined;
const started = new Set<ServerProcess>();

/**
 * The server with demo data that all tests of a worker share. Tests add what they change, as a bucket or a device of
 * their own, or put back what they changed.
 */
export function demoServer(): Promise<Server> {
  demo ??= Server.start();
  return demo;
}

/** A name that no other test has, nor an earlier attempt at the same one. */
export function uniqueName(name: string): string {
  names += 1;
  return `${name}-${names}`;
}

/** The timestamp of a moment in the past. */
export function ago(seconds: number): string {
  return new Date(Date.now() - seconds * 1000).toISOString();
}

/** The logs with a traceback, each one once. */
export function tracebacks(): string[] {
  const logs = [...started].map((process) => process.takeErrors());
  return logs.filter((log) => log.includes("Traceback"));
}

export class Server {
  private constructor(private readonly process: ServerProcess) {
    started.add(process);
  }

  /** A server that answers, until the end of the test. */
  static async startForTest(options: Options = {}): Promise<Server> {
    const server = await Server.start(options);
    onTestFinished(() => server.stop());
    return server;
  }

  /** A server that answers. */
  static async start({
    data = "seeded",
    flags = [],
    settings = ONE_QUERY_PROCESS,
    variables = {},
  }: Options = {}): Promise<Server> {
    const database = join(mkdtempSync(join(inject("folder"), "server-")), "dayline.db");
    if (data === "seeded") copyFileSync(inject("seeded"), database);
    const config = join(dirname(database), "config.toml");
    writeFileSync(config, settings);
    return new Server(await ServerProcess.start(database, [...flags, "--config", config], variables));
  }

  get url(): string {
    return this.process.url;
  }

  get port(): number {
    return this.process.port;
  }

  get pid(): number {
    return this.process.pid;
  }

  get database(): string {
    return this.process.database;
  }

  get folder(): string {
    return dirname(this.process.database);
  }

  /** Start it again on the same port and store. */
  async run(): Promise<void> {
    await this.process.run();
  }

  /** What a power cut does to a process. */
  async kill(): Promise<void> {
    await this.process.end("SIGKILL");
  }

  /** Stop it and remove its store. */
  async stop(): Promise<void> {
    await this.process.end("SIGTERM");
    started.delete(this.process);
    rmSync(this.folder, { recursive: true, force: true });
    const log = this.process.takeErrors();
    if (log.includes("Traceback")) throw new Error(log);
  }

  /** A bucket with events for one test, which nothing else uses; it is deleted with the test. */
  async addBucket(name: string, { events = [], ...fields }: NewBucket): Promise<string> {
    const id = uniqueName(name);
    const path = `/api/0/buckets/${encodeURIComponent(id)}`;
    await this.post(path, { client: "test", hostname: id, ...fields });
    if (events.length > 0) await this.post(`${path}/events`, events);
    onTestFinished(async () => void (await fetch(`${this.url}${path}`, { method: "DELETE" })));
    return id;
  }

  /** The JSON of an answer; throws where it is an error. */
  async call<T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<T> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return (text ? JSON.parse(text) : undefined) as T;
  }

  get<T = unknown>(path: string): Promise<T> {
    return this.call<T>("GET", path);
  }

  post<T = unknown>(path: string, body?: unknown): Promise<T> {
    return this.call<T>("POST", path, body);
  }
}
