// Covers drafts that a forge tells by the title.

import { assertEquals } from "@std/assert";
import { DraftTitle } from "../../../src/forge/port.ts";

const DRAFT = new DraftTitle("WIP: ", /^(?:(?:\[?WIP\]?|draft):?\s*)+/i);

/** How it stands, what is asked for, and the title that is written; null where none is. */
const EDITS: readonly (readonly [
  { readonly title: string; readonly draft: boolean },
  { readonly title?: string; readonly draft?: boolean },
  string | null,
])[] = [
  [{ title: "Say hello", draft: false }, {}, null],
  [{ title: "Say hello", draft: true }, { draft: true }, null],
  [{ title: "Say hello", draft: true }, { draft: false }, "Say hello"],
  [{ title: "Say hello", draft: false }, { draft: true }, "WIP: Say hello"],
  [{ title: "Say hello", draft: true }, { title: "Say bye" }, "WIP: Say bye"],
  [{ title: "Say hello", draft: false }, { title: "WIP: Say bye" }, "Say bye"],
  [{ title: "Say hello", draft: false }, { title: "[wip] Say bye", draft: true }, "WIP: Say bye"],
];

for (const [change, edit, title] of EDITS) {
  Deno.test(`a draft by its title: ${JSON.stringify([change, edit])}`, () => {
    assertEquals(DRAFT.edited(change, edit), title === null ? {} : { title });
  });
}
