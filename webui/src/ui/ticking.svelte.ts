// The time, once a second, for what shows it run. One timer for the whole page, and none where nobody looks.
import { createSubscriber } from "svelte/reactivity";
import { now } from "../lib/clock";

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

export const ticking = {
  /** Milliseconds since 1970; what reads it is brought up to date every second. */
  get now(): number {
    subscribe();
    return now();
  },
};
