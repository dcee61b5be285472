/** Streams of the server that a page listens to for as long as somebody sees it (PAGE-2). */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

/**
 * Opens a stream whenever the page can be seen, and closes it when it cannot. A browser opens no more than six
 * connections to a server, for all its tabs together. `open` is called anew each time; null is for what has
 * ended.
 */
export function whileSeen(open: () => EventSource | null): void {
  let source: EventSource | null = null;
  const follow = (): void => {
    const seen = document.visibilityState === "visible";
    if (seen === (source !== null)) return;
    source?.close();
    source = seen ? open() : null;
  };
  document.addEventListener("visibilitychange", follow);
  // A page that is kept for the way back is not seen either.
  globalThis.addEventListener("pagehide", () => {
    source?.close();
    source = null;
  });
  globalThis.addEventListener("pageshow", follow);
  follow();
}
