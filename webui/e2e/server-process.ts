// `dayline serve` as a child process, on a free port.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { Readable, Writable } from "node:stream";
import { environment, PYTHON } from "./process.ts";

// Vitest stops its workers, which ends their servers and browser with them. If Vitest itself was killed, nobody stops
// the workers: they end when their connection to it does.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));

/** No test records the desktop of whoever runs it. */
const NO_SESSION = { DISPLAY: "", WAYLAND_DISPLAY: "", SWAYSOCK: "", XDG_SESSION_TYPE: "" };

export class ServerProcess {
  #process: ChildProcessByStdio<Writable, null, Readable> | undefined;
  #errors = "";
  readonly database: string;
  readonly port: number;
  readonly flags: readonly string[];
  readonly variables: Readonly<Record<string, string>>;

  private constructor(
    database: string,
    port: number,
    flags: readonly string[],
    variables: Readonly<Record<string, string>>,
  ) {
    this.database = database;
    this.port = port;
    this.flags = flags;
    this.variables = variables;
  }

  /** A server that answers. */
  static async start(
    database: string,
    flags: readonly string[] = [],
    variables: Readonly<Record<string, string>> = {},
  ): Promise<ServerProcess> {
    const server = new ServerProcess(database, await freePort(), flags, variables);
    await server.run();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** What it has written to standard error since the last call. */
  takeErrors(): string {
    const errors = this.#errors;
    this.#errors = "";
    return errors;
  }

  /** Start it, or start it again on the same port and store. */
  async run(): Promise<void> {
    // Tethered: it ends when its standard input does, and that ends with this process, however it ends.
    const command = [
      "-m",
      "tests.support.processes.tethered",
      "serve",
      "--port",
      String(this.port),
      "--database",
      this.database,
    ];
    const child = spawn(PYTHON, [...command, ...this.flags], {
      env: { ...environment(dirname(this.database)), ...NO_SESSION, ...this.variables },
      stdio: ["pipe", "ignore", "pipe"],
    });
    this.#process = child;
    child.stderr.on("data", (chunk: Buffer) => (this.#errors += chunk.toString()));
    while (child.exitCode === null && child.signalCode === null) {
      if (await this.#answers()) return;
      await new Promise((done) => setTimeout(done, 20));
    }
    throw new Error(`the server ended:\n${this.#errors}`);
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/api/0/info`)).ok;
    } catch {
      return false;
    }
  }

  /** SIGTERM as a service manager stops it, SIGKILL as a power cut does. */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
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
