/**
 * A clock for what waits, and is woken.
 *
 * @module
 */

import type { Clock } from "../../../../src/base/system/mod.ts";

/** Time that stands still for whoever waits long, and flies for whoever waits a moment. */
export const clock: Clock = {
  now: () => 0,
  sleep: (ms, signal) =>
    ms < 1_000
      ? new Promise<void>((resolve) => void setTimeout(resolve))
      : new Promise<void>((resolve) => {
        signal?.addEventListener("abort", () => resolve(), { once: true });
      }),
};
