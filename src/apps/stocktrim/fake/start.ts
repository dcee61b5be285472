/**
 * Starts the stand-in of the service, which is loaded only then.
 *
 * @module
 */

import type { FakeStockTrim } from "./server.ts";

/** Starts a stand-in on a free port of the loopback address; dispose of it when it is not needed any more. */
export async function startStandIn(): Promise<FakeStockTrim> {
  const { startFake } = await import("./server.ts");
  return await startFake();
}
