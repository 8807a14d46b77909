// What is loaded when a category is changed for the first time.
export { default as CategoriseForm } from "./CategoriseForm.svelte";
export { default as CategorisePopover } from "./CategorisePopover.svelte";
