// A request is sent with the key in the bar, else with the session of the browser, else without a key.
const key = document.getElementById("key-text");
const who = document.getElementById("who");
const rapidoc = document.querySelector("rapi-doc");

// One operation at a time: all of them together have almost a million elements. A narrow screen has no space for the list
// next to it, and shows the operations as rows that open.
if (matchMedia("(max-width: 767px)").matches) rapidoc.setAttribute("render-style", "view");

rapidoc.addEventListener("before-try", (event) => {
  const headers = event.detail.request.headers;
  for (const [name, value] of Object.entries(proof())) headers.set(name, value);
  if (key.value.trim()) headers.set("Authorization", `Bearer ${key.value.trim()}`);
});

// RapiDoc shows the name of a parameter next to its field, but does not connect the two for screen readers.
customElements.whenDefined("api-request").then((request) => {
  const before = request.prototype.updated;
  request.prototype.updated = function (changes) {
    before?.call(this, changes);
    for (const field of this.shadowRoot.querySelectorAll("input, select, textarea"))
      if (!field.labels?.length && !field.ariaLabel) field.ariaLabel = field.dataset.pname || "body";
  };
});

// The key is kept only in the field, and Enter sends nothing.
document.getElementById("key").addEventListener("submit", (event) => event.preventDefault());
key.addEventListener("input", showAccess);

// If RapiDoc cannot be loaded, the plain list of operations is shown at once, without forms.
document.getElementById("rapidoc").addEventListener("error", () => document.body.classList.add("failed"));

let session = null;
fetch("1/session", { headers: proof() })
  .then((response) => (response.ok ? response.json() : null))
  .then((found) => {
    session = found;
    showAccess();
    document.getElementById("key").hidden = false;
  })
  .catch(() => undefined); // the server has stopped: the next request reports it

// The secret that the web UI stores when you sign in: the cookie alone gives no access.
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
  return known?.needs_key ? "now: no key, and most requests need one" : "now: no key, and none is required";
}
