/**
 * Server-sent events: one part is made when the reader has taken the one before, so that a slow reader holds up nobody
 * else and nothing piles up (SERVER-10).
 */

/** So often something is sent where nothing happens, in milliseconds: whoever is between would take the silence for an end. */
export const HEARTBEAT_MS = 15_000;
/** What is sent then: a comment. */
export const HEARTBEAT = ": still here\n\n";
/** How the stream of something that has ended closes. */
export const DONE = "data: [DONE]\n\n";

/** Tells browsers to come back soon after a break. */
const RETRY = "retry: 2000\n\n";

/** An event, in the form in which it is sent; `id` is where a reader that was cut off goes on. */
export function eventText(id: number | string, data: unknown): string {
  // JSON has no line ends outside of its strings, and none in them.
  return `id: ${id}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The answer that sends parts as they are asked for, until there are no more, the reader is gone, or all ends. */
export function eventStream(
  parts: (signal: AbortSignal) => AsyncGenerator<string>,
  { ending, onEnd }: { readonly ending: AbortSignal; readonly onEnd: () => void },
): Response {
  const gone = new AbortController();
  const source = parts(AbortSignal.any([gone.signal, ending]));
  const encoder = new TextEncoder();
  let ended = false;
  const end = () => {
    if (!ended) onEnd();
    ended = true;
  };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(RETRY));
    },
    async pull(controller) {
      try {
        const { value, done } = await source.next();
        if (gone.signal.aborted) return;
        if (!done) return controller.enqueue(encoder.encode(value));
        controller.close();
      } catch (error) {
        end();
        throw error;
      }
      end();
    },
    cancel() {
      gone.abort();
      end();
    },
  }, { highWaterMark: 0 });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
  });
}
