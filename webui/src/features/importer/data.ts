// File uploads for imports. They use XMLHttpRequest because fetch does not report upload progress.
import { BASE, problemOf, proofOf, sessionSecret } from "../../core/api/client";
import { NotConnected } from "../../core/api/problem";
import type { ImportSurvey, JobView } from "../../core/api/schema";

export interface Sending<T> {
  readonly answer: Promise<T>;
  readonly stop: () => void;
}

/** Dry run: what importing the files would do. */
export function surveyFiles(
  files: readonly File[],
  onProgress: (share: number) => void,
): Sending<ImportSurvey> {
  return send(`${BASE}/api/1/imports?dry_run=1`, files, onProgress);
}

/** Import files; the job continues on the server. */
export function importFiles(files: readonly File[], onProgress: (share: number) => void): Sending<JobView> {
  return send(`${BASE}/api/1/imports`, files, onProgress);
}

function send<T>(address: string, files: readonly File[], onProgress: (share: number) => void): Sending<T> {
  const form = new FormData();
  for (const file of files) form.append("buckets.json", file, file.name);
  const request = new XMLHttpRequest();
  const answer = new Promise<T>((resolve, reject) => {
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    });
    request.addEventListener("load", () => {
      const body = parsed(request.responseText);
      if (request.status >= 200 && request.status < 300) resolve(body as T);
      else reject(problemOf(responseOf(request), body));
    });
    request.addEventListener("error", () => reject(new NotConnected()));
    request.addEventListener("abort", () => reject(new DOMException("Stopped", "AbortError")));
  });
  request.open("POST", address);
  for (const [name, value] of Object.entries(proofOf(sessionSecret()))) request.setRequestHeader(name, value);
  request.send(form);
  return { answer, stop: () => request.abort() };
}

function responseOf(request: XMLHttpRequest): Response {
  const requestId = request.getResponseHeader("X-Request-Id");
  return new Response(null, {
    status: request.status,
    headers: requestId ? { "X-Request-Id": requestId } : {},
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy may send anything
  }
}
