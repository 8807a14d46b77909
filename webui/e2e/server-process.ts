// `dayline serve` as a child process, on a free port.
import { spawn, type ChildProcess } from "node:child_process";
import { createServer } from "node:net";
import { dirname } from "node:path";
import { environment, PYTHON } from "./process.ts";

const running = new Set<ChildProcess>();
// A test that fails on its way may leave its server behind: it must not outlive the tests.
process.once("exit", () => running.forEach((child) => child.kill("SIGKILL")));

export class ServerProcess {
  #process: ChildProcess | undefined;
  /** What it said on standard error. */
  errors = "";
  readonly database: string;
  readonly port: number;
  readonly flags: readonly string[];

  private constructor(database: string, port: number, flags: readonly string[]) {
    this.database = database;
    this.port = port;
    this.flags = flags;
  }

  /** A server that answers. */
  static async start(database: string, flags: readonly string[] = []): Promise<ServerProcess> {
    const server = new ServerProcess(database, await freePort(), flags);
    await server.run();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Start it, or start it again on the same port and store. */
  async run(): Promise<void> {
    const command = [
      "-m",
      "dayline",
      "serve",
      "--port",
      String(this.port),
      "--database",
      this.database,
      ...this.flags,
    ];
    const child = spawn(PYTHON, command, {
      env: environment(dirname(this.database)),
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = child;
    running.add(child);
    child.once("exit", () => running.delete(child));
    child.stderr.on("data", (chunk: Buffer) => (this.errors += chunk.toString()));
    for (const end = Date.now() + 20_000; Date.now() < end;) {
      if (child.exitCode !== null) throw new Error(`the server ended:\n${this.errors}`);
      try {
        if ((await fetch(`${this.url}/api/0/info`)).ok) return;
      } catch {
        await new Promise((done) => setTimeout(done, 30));
      }
    }
    throw new Error(`the server did not answer:\n${this.errors}`);
  }

  /** SIGTERM as a service manager stops it, SIGKILL as a power cut does. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
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
