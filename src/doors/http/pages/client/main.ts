/**
 * The script of the pages. They are whole without it; with it they follow what happens, and the keyboard leads
 * everywhere. Bundled into `client.js` by `deno task client`.
 */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { followLog } from "./log.ts";
import { usePasskeys } from "./passkeys.ts";
import { keepUp } from "./update.ts";

/** A filter applies as soon as a choice is made; what is typed, when it is done. */
function applyFilters(): void {
  document.addEventListener("change", (event) => {
    const field = event.target;
    if (!(field instanceof HTMLSelectElement)) return;
    field.form?.classList.contains("filters") === true && field.form.requestSubmit();
  });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || /^(?:INPUT|SELECT|TEXTAREA)$/.test(target.tagName));
}

/** Goes to the next row, or the one before. */
function step(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main tbody tr[tabindex]")];
  if (rows.length === 0) return;
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by;
  rows[Math.min(rows.length - 1, Math.max(0, next))]?.focus();
}

/** What a key does here, or nothing. */
function actionOf(key: string): (() => void) | undefined {
  switch (key) {
    case "/":
      return () =>
        document.querySelector<HTMLElement>("main .filters input, main .filters select")?.focus();
    case "j":
      return () => step(1);
    case "k":
      return () => step(-1);
    case "f":
      return () => document.getElementById("follow")?.click();
    case "?":
      return () => {
        const keys = document.getElementById("keys");
        if (!(keys instanceof HTMLDetailsElement)) return;
        keys.open = !keys.open;
        if (keys.open) keys.querySelector("summary")?.focus();
      };
    case "Enter":
      // A row is followed where its first link leads.
      return document.activeElement instanceof HTMLTableRowElement
        ? () => document.activeElement?.querySelector("a")?.click()
        : undefined;
    default:
      return undefined;
  }
}

/** Listens to the keyboard: `g` and a letter leads to a view, and the others as {@linkcode actionOf} says. */
function listenToKeys(): void {
  /** Whether the key before was `g`. */
  let going = false;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const { key } = event;
    if (going) {
      going = false;
      const link = document.querySelector<HTMLElement>(`nav a[data-key="${CSS.escape(key)}"]`);
      if (link !== null) {
        event.preventDefault();
        link.click();
      }
      return;
    }
    if (key === "g") {
      going = true;
      return;
    }
    const action = actionOf(key);
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

applyFilters();
listenToKeys();
keepUp();
followLog();
usePasskeys();
