import { mount } from "svelte";
import { keptLanguage } from "./core/api/preferences.svelte";
import App from "./app/App.svelte";
import "./app.css";
import { setLanguage } from "./core/i18n/translate.svelte";

const target = document.getElementById("app");
// In English if the texts of another language cannot be loaded.
void setLanguage(keptLanguage())
  .catch(() => undefined)
  .then(() => target && mount(App, { target }));
