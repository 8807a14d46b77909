// Links to files of the API. A link cannot send the secret of the session, so it gets a ticket when it is clicked.
import { api, BASE, body } from "./client";
import { session } from "./session.svelte";

/** Follow links to the API with a ticket while this browser is signed in, until the returned function is called. */
export function followLinksWithTickets(onFailed: (error: unknown) => void): () => void {
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || !session.view?.is_signed_in || pathOf(link) === null) return;
    event.preventDefault();
    void download(link).catch(onFailed);
  };
  document.addEventListener("click", follow);
  return () => document.removeEventListener("click", follow);
}

/** The path in the API that a link leads to; null for other links. */
function pathOf({ origin, pathname }: HTMLAnchorElement): string | null {
  const path = pathname.startsWith(BASE) ? pathname.slice(BASE.length) : "";
  return origin === window.location.origin && /^\/api\/[01]\//.test(path) ? path : null;
}

async function download(link: HTMLAnchorElement): Promise<void> {
  const { ticket } = await body(api.POST("/api/1/session/tickets", { body: { path: pathOf(link) ?? "" } }));
  const copy = document.createElement("a");
  const address = new URL(link.href);
  address.searchParams.append("ticket", ticket);
  copy.href = address.href;
  copy.download = "";
  copy.click(); // it is not in the document, so that this click is not followed again
}
