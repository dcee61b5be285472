/**
 * The server of the program with the fixtures of the conformance suite in place of its own features.
 *
 * Given a revision it makes every client ask for that one: the suite's client knows only how to ask for
 * the newest.
 *
 * @module
 */

import { serveFeatures } from "../../src/doors/mcp/serving.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";
import { SERVED } from "./fixtures.ts";

const system = realSystem();
const [revision] = Deno.args;

/** Puts the revision into whatever asks for one. */
function asking(input: AsyncIterable<Uint8Array>, wanted: string): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return ReadableStream.from(input).pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        controller.enqueue(
          encoder.encode(text.replace(/("protocolVersion":)"[^"]*"/, `$1"${wanted}"`)),
        );
      },
    }),
  );
}

const terminal = revision === undefined
  ? system.terminal
  : { ...system.terminal, input: () => asking(system.terminal.input(), revision) };

await serveFeatures({ ...system, terminal }, SERVED);
