// How Python is run: by the project's own environment, with the code of this checkout.
import { delimiter, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
export const PYTHON = process.env.DAYLINE_PYTHON ?? resolve(ROOT, ".venv/bin/python");

export function environment(home: string): NodeJS.ProcessEnv {
  return { ...process.env, HOME: home, PYTHONPATH: [resolve(ROOT, "src"), ROOT].join(delimiter) };
}
