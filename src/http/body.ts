/**
 * What a request brings with it, within limits of size and time.
 *
 * @module
 */

import { AmofError } from "../error.ts";
import type { Clock } from "../system/mod.ts";

/** A larger body is refused. */
const MAX_BODY_BYTES = 1024 * 1024;
/** A body that takes longer to arrive is given up. */
const MAX_BODY_MS = 15_000;

function tooLarge(): AmofError {
  return new AmofError(
    "request_too_large",
    `Cannot take more than ${MAX_BODY_BYTES} bytes in one request`,
    { details: { max_bytes: MAX_BODY_BYTES } },
  );
}

/** The body of a request as text. Throws `request_too_large`, `timeout`, or `invalid_arguments` for what is no UTF-8. */
export async function readBody(request: Request, clock: Clock): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  const reader = request.body?.getReader();
  if (reader === undefined) return "";
  const arrived = new AbortController();
  const late = clock.sleep(MAX_BODY_MS, arrived.signal).then(() => null);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let size = 0;
  try {
    for (;;) {
      const part = await Promise.race([reader.read(), late]);
      if (part === null) {
        throw new AmofError("timeout", "Gave up: the body of the request did not arrive in time");
      }
      if (part.done) return text + decoder.decode();
      size += part.value.length;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      text += decoder.decode(part.value, { stream: true });
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AmofError("invalid_arguments", "Cannot read the body: it is not UTF-8");
  } finally {
    arrived.abort();
    await reader.cancel().catch(() => {});
  }
}
