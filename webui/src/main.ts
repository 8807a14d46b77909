import { mount } from "svelte";
import { keptLanguage } from "./core/api/preferences.svelte";
import App from "./app/App.svelte";
import "./app.css";
import { startLanguage } from "./core/i18n/translate.svelte";

const target = document.getElementById("app");
// In English if the texts of another language cannot be loaded.
void startLanguage(keptLanguage())
  .catch(() => undefined)
  .then(() => target && mount(App, { target }));
