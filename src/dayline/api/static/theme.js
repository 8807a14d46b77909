// Before the first paint, so that a page never flashes in the wrong theme: the choice is kept by the page's settings.
try {
  const theme = localStorage.getItem("dayline.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (localStorage.getItem("dayline.density") === "compact") document.documentElement.dataset.density = "compact";
} catch {
  // A browser that keeps nothing shows what the system prefers.
}
