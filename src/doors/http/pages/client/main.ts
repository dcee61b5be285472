/**
 * The script of the pages. They are whole without it; with it they follow what happens, and the keyboard leads
 * everywhere. Bundled into `client.js` by `deno task client`.
 */

/// <reference no-default-lib="true" />
/// <reference lib="dom" />
/// <reference lib="dom.iterable" />
/// <reference lib="esnext" />

import { listenToKeys } from "./keys.ts";
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

applyFilters();
listenToKeys();
keepUp();
followLog();
usePasskeys();
