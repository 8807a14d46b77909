// RapiDoc is a file of its own; when it cannot be had, the plain list of calls shows at once.
document.getElementById("rapidoc").addEventListener("error", () => document.body.classList.add("failed"));
