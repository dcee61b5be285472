/**
 * Listening on this machine under both of its addresses, so that the name localhost leads to one server (SERVER-1).
 *
 * @module
 */

import type { Listener, Loopback } from "../../base/system/mod.ts";

/** So often another free port is tried where nothing but a free one is asked for. */
const TRIES = 10;

/** What listens. */
interface Listening extends Listener {
  /** Whether localhost leads here and nowhere else, whichever address a browser takes for it. */
  readonly localhost: boolean;
}

/** Answers at a port. */
type Answer = (request: Request, port: number) => Promise<Response>;

function both(first: Listener, second: Listener): Listening {
  return {
    port: first.port,
    localhost: true,
    async close(graceMs) {
      await Promise.all([first.close(graceMs), second.close(graceMs)]);
    },
  };
}

/** Listens at an address; null when it is taken. Where only the other address of the port is taken, it says so. */
export async function listenAt(
  loopback: Loopback,
  { host, port }: { readonly host: string; readonly port: number },
  answer: Answer,
): Promise<Listening | null> {
  const other = host === "::1" ? "127.0.0.1" : "::1";
  for (let left = TRIES;; left--) {
    let at = port;
    const first = await loopback.listen(host, port, (request) => answer(request, at));
    if (first === null) return null;
    at = first.port;
    // A machine without the other address has nobody there either.
    if (loopback.stateOf(other, at) === "refused") return { ...first, localhost: true };
    const second = await loopback.listen(other, at, (request) => answer(request, at));
    if (second !== null) return both(first, second);
    if (port !== 0 || left <= 1) return { ...first, localhost: false };
    await first.close(0);
  }
}
