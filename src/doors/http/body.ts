/** What a request brings with it, within limits of size and time. */

import { AmofError } from "../../base/error.ts";
import type { Clock } from "../../base/system/mod.ts";

/** A larger body is refused. */
const MAX_BODY_BYTES = 1024 * 1024;
/** A body that takes longer to arrive is given up. */
const MAX_BODY_MS = 15_000;

/**
 * How much of a body that is refused is still taken, and thrown away, and for how long: who goes on sending to a
 * connection that is closed loses the answer, too.
 */
const MAX_IGNORED_BYTES = 16 * 1024 * 1024;
const MAX_IGNORED_MS = 2_000;

function tooLarge(): AmofError {
  return new AmofError(
    "request_too_large",
    `Cannot take more than ${MAX_BODY_BYTES} bytes in one request`,
    { details: { max_bytes: MAX_BODY_BYTES } },
  );
}

/** Takes what still comes of a body that is refused, within limits. */
async function ignoreRest(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  clock: Clock,
): Promise<void> {
  const ended = new AbortController();
  const late = clock.sleep(MAX_IGNORED_MS, ended.signal).then(() => null);
  try {
    for (let size = 0; size < MAX_IGNORED_BYTES;) {
      const part = await Promise.race([reader.read(), late]);
      if (part === null || part.done) return;
      size += part.value.length;
    }
  } finally {
    ended.abort();
  }
}

/** The body of a request as text. Throws `request_too_large`, `timeout`, or `invalid_arguments` for what is no UTF-8. */
export async function readBody(request: Request, clock: Clock): Promise<string> {
  const said = Number(request.headers.get("content-length") ?? 0);
  const reader = request.body?.getReader();
  if (reader === undefined) {
    if (said > MAX_BODY_BYTES) throw tooLarge();
    return "";
  }
  const arrived = new AbortController();
  const late = clock.sleep(MAX_BODY_MS, arrived.signal).then(() => null);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  try {
    while (said <= MAX_BODY_BYTES) {
      const part = await Promise.race([reader.read(), late]);
      if (part === null) {
        throw new AmofError("timeout", "Gave up: the body of the request did not arrive in time");
      }
      if (part.done) return text + decoder.decode();
      size += part.value.length;
      if (size > MAX_BODY_BYTES) break;
      text += decoder.decode(part.value, { stream: true });
    }
    await ignoreRest(reader, clock);
    throw tooLarge();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AmofError("invalid_arguments", "Cannot read the body: it is not UTF-8");
  } finally {
    arrived.abort();
    await reader.cancel().catch(() => {});
  }
}
