// The current time, updated once a second. One timer for the whole page, which stops while nothing reads it.
import { createSubscriber } from "svelte/reactivity";
import { now } from "../../core/time/clock";

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

export const ticking = {
  /** Milliseconds since 1970; readers update every second. */
  get now(): number {
    subscribe();
    return now();
  },
};
