// RapiDoc is a file of its own; when it cannot be had, the plain list of calls shows at once.
// A call that somebody tries while signed in needs the header that says it comes from a page of ours.
document.querySelector("rapi-doc").addEventListener("before-try", (event) => event.detail.request.headers.append("X-Dayline", "1"));

document.getElementById("rapidoc").addEventListener("error", () => document.body.classList.add("failed"));
