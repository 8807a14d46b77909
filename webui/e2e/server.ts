// A real server with a store of its own: a copy of the seeded one, or an empty one.
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import { ServerProcess } from "./server-process.ts";

interface Options {
  readonly data?: "seeded" | "empty";
  readonly flags?: readonly string[];
  /** The settings file. */
  readonly settings?: string;
}

export class Server {
  private constructor(private readonly process: ServerProcess) {}

  /** A server that answers. */
  static async start({ data = "seeded", flags = [], settings }: Options = {}): Promise<Server> {
    const database = join(mkdtempSync(join(inject("folder"), "server-")), "dayline.db");
    if (data === "seeded") copyFileSync(inject("seeded"), database);
    const config = join(dirname(database), "config.toml");
    if (settings !== undefined) writeFileSync(config, settings);
    const named = settings === undefined ? flags : [...flags, "--config", config];
    return new Server(await ServerProcess.start(database, named));
  }

  get url(): string {
    return this.process.url;
  }

  get port(): number {
    return this.process.port;
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

  /** Stop it and remove its store. A traceback in its log is a defect, whatever the test was about. */
  async stop(): Promise<void> {
    await this.process.end("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
    if (this.process.errors.includes("Traceback")) throw new Error(this.process.errors);
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
