/**
 * Keeps a page up to date: asks the server for the same page again and changes what differs, so that nothing moves that
 * stayed as it is.
 */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { Idiomorph } from "idiomorph";
import { whileSeen } from "./stream.ts";

/** Changes that come one after another are shown together, in milliseconds. */
const TOGETHER_MS = 150;

function say(text: string): void {
  const place = document.getElementById("connection");
  if (place !== null && place.textContent !== text) place.textContent = text;
}

/** What the script itself has changed in a page stays: an opened list, a log that goes on. */
const CALLBACKS = {
  beforeNodeMorphed: (old: Node): boolean =>
    !(old instanceof Element) || !["log", "follow-label", "typed", "passkey-says"].includes(old.id),
  beforeAttributeUpdated: (name: string, node: Element): boolean =>
    !(name === "open" && node instanceof HTMLDetailsElement),
};

/** Takes over what another version of this page shows. */
function takeOver(text: string): void {
  const next = new DOMParser().parseFromString(text, "text/html");
  for (const selector of ["main", ".top nav"]) {
    const [here, there] = [document.querySelector(selector), next.querySelector(selector)];
    if (here === null || there === null) continue;
    Idiomorph.morph(here, there, {
      morphStyle: "outerHTML",
      ignoreActiveValue: true,
      callbacks: CALLBACKS,
    });
  }
}

/** One look at a time; what happens meanwhile leads to one more. */
class Updates {
  #going = false;
  #wanted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Looks soon. */
  soon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.now(), TOGETHER_MS);
  }

  /** Looks now, or again when the look that goes on has ended. */
  async now(): Promise<void> {
    this.#wanted = true;
    if (this.#going) return;
    this.#going = true;
    try {
      while (this.#wanted) {
        this.#wanted = false;
        await this.#look();
      }
    } finally {
      this.#going = false;
    }
  }

  async #look(): Promise<void> {
    const address = new URL(location.href);
    address.searchParams.set("live", "");
    try {
      const answer = await fetch(address, { headers: { accept: "text/html" } });
      const type = answer.headers.get("content-type") ?? "";
      if (answer.status === 401) return say("Signed out");
      if (!type.startsWith("text/html")) return;
      takeOver(await answer.text());
      say("");
    } catch {
      say("Connection lost");
    }
  }
}

/** Follows what the server says of changes to the parts a page is about. */
function listen(parts: readonly string[], updates: Updates): EventSource {
  const source = new EventSource("/api/v1/changes");
  const told = (event: MessageEvent): void => {
    const part = String(event.data);
    if (parts.some((each) => part.includes(each)) || part.includes("approvals")) updates.soon();
  };
  source.onmessage = told;
  for (const name of ["change", ...parts, "approvals"]) source.addEventListener(name, told);
  let lost = false;
  source.onerror = () => {
    lost = true;
    say(source.readyState === EventSource.CLOSED ? "" : "Connection lost");
  };
  source.onopen = () => {
    say("");
    // Changes that happened while the connection was lost were not sent.
    if (lost) updates.soon();
    lost = false;
  };
  return source;
}

/** Begins to keep this page up to date, as far as it asks for that. */
export function keepUp(): void {
  const main = document.querySelector("main");
  if (main === null || main.dataset["parts"] === undefined) return;
  const updates = new Updates();
  const parts = main.dataset["parts"].split(" ").filter((part) => part !== "");
  whileSeen(() => listen(parts, updates));
  if (main.dataset["more"] !== undefined) void updates.now();
  const again = Number(main.dataset["again"] ?? 0);
  if (again > 0) {
    setInterval(() => {
      if (document.visibilityState === "visible") void updates.now();
    }, again * 1000);
  }
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") updates.soon();
  });
}
