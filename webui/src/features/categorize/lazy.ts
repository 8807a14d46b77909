// What is loaded when a category is changed for the first time.
export { default as CategorizeForm } from "./CategorizeForm.svelte";
export { default as CategorizePopover } from "./CategorizePopover.svelte";
