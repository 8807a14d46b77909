// Calls that are tried go out as the key in the bar says, else as the browser that is signed in, else without a key.
const key = document.getElementById("key-text");
const who = document.getElementById("who");
const rapidoc = document.querySelector("rapi-doc");

// One call at a time: all of them at once are most of a million elements. A narrow screen has no space for the list beside
// it, and shows the calls as rows that open.
if (matchMedia("(max-width: 767px)").matches) rapidoc.setAttribute("render-style", "view");

rapidoc.addEventListener("before-try", (event) => {
  const headers = event.detail.request.headers;
  for (const [name, value] of Object.entries(proof())) headers.set(name, value);
  if (key.value.trim()) headers.set("Authorization", `Bearer ${key.value.trim()}`);
});

// RapiDoc writes the name of a parameter beside its field, but does not say that the one belongs to the other.
customElements.whenDefined("api-request").then((request) => {
  const before = request.prototype.updated;
  request.prototype.updated = function (changes) {
    before?.call(this, changes);
    for (const field of this.shadowRoot.querySelectorAll("input, select, textarea"))
      if (!field.labels?.length && !field.ariaLabel) field.ariaLabel = field.dataset.pname || "body";
  };
});

// It is kept in the field alone, and nothing is sent by Enter.
document.getElementById("key").addEventListener("submit", (event) => event.preventDefault());
key.addEventListener("input", showAccess);

// When RapiDoc's file cannot be had, the plain list of calls shows at once, and there is nothing to try.
document.getElementById("rapidoc").addEventListener("error", () => document.body.classList.add("failed"));

let session = null;
fetch("1/session", { headers: proof() })
  .then((answer) => (answer.ok ? answer.json() : null))
  .then((found) => {
    session = found;
    showAccess();
    document.getElementById("key").hidden = false;
  })
  .catch(() => undefined); // the server has stopped: a call that is tried says so

// The secret that the web UI keeps when you sign in: the cookie alone gives no access.
function proof() {
  try {
    const secret = localStorage.getItem(`dayline.session ${location.pathname.replace(/\/api\/$/, "")}`);
    return secret === null ? {} : { "X-Dayline": secret };
  } catch {
    return {}; // without local storage
  }
}

function showAccess() {
  who.value = key.value.trim() ? "with this key" : without(session);
}

function without(known) {
  if (known?.is_signed_in) return `now: signed in, ${known.scope}${known.buckets.length ? ", some buckets" : ""}`;
  return known?.needs_key ? "now: without one, and most calls need it" : "now: without one, and none is needed";
}
