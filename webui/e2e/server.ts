// A real server on a free port, with a store of its own: a copy of the seeded one, or an empty one.
import { spawn, type ChildProcess } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { inject } from "vitest";
import { environment, PYTHON } from "./process.ts";

export class Server {
  #process: ChildProcess | undefined;
  #errors = "";

  private constructor(
    readonly folder: string,
    readonly port: number,
    readonly flags: readonly string[],
  ) {}

  /** A server that answers. */
  static async start({
    data = "seeded",
    flags = [],
  }: { data?: "seeded" | "empty"; flags?: string[] } = {}): Promise<Server> {
    const folder = mkdtempSync(join(inject("folder"), "server-"));
    if (data === "seeded") copyFileSync(inject("seeded"), join(folder, "dayline.db"));
    const server = new Server(folder, await freePort(), flags);
    await server.run();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get database(): string {
    return join(this.folder, "dayline.db");
  }

  /** Start it, or start it again on the same port and store. */
  async run(): Promise<void> {
    const child = spawn(
      PYTHON,
      ["-m", "dayline", "serve", "--port", String(this.port), "--database", this.database, ...this.flags],
      { env: environment(this.folder), stdio: ["ignore", "ignore", "pipe"] },
    );
    this.#process = child;
    child.stderr.on("data", (chunk: Buffer) => (this.#errors += chunk.toString()));
    for (const end = Date.now() + 20_000; Date.now() < end;) {
      if (child.exitCode !== null) throw new Error(`the server ended:\n${this.#errors}`);
      try {
        if ((await fetch(`${this.url}/api/0/info`)).ok) return;
      } catch {
        await new Promise((done) => setTimeout(done, 30));
      }
    }
    throw new Error(`the server did not answer:\n${this.#errors}`);
  }

  /** What a power cut does to a process. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** Stop it and remove its store. A traceback in its log is a defect, whatever the test was about. */
  async stop(): Promise<void> {
    await this.#end("SIGTERM");
    rmSync(this.folder, { recursive: true, force: true });
    if (this.#errors.includes("Traceback")) throw new Error(this.#errors);
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

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    await ended;
  }
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const listener = createServer();
    listener.once("error", fail);
    listener.listen(0, "127.0.0.1", () => {
      const address = listener.address();
      listener.close(() =>
        typeof address === "object" && address ? done(address.port) : fail(new Error("no port")),
      );
    });
  });
}
