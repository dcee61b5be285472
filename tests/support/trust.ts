/** Seals a clone for a test as its owner does who has looked at it, without a call of the program. */

import { remembered, sealOf } from "../../src/git/mod.ts";
import { openDatabase } from "../../src/state/store/database.ts";
import { openStore } from "../../src/state/store/open.ts";
import { realSystem } from "../../src/base/system/real/mod.ts";

/** Seals a clone as it is in a database. */
export async function trustClone(database: string, clone: string): Promise<void> {
  const system = realSystem();
  const found = await sealOf(system, clone);
  const there = await Deno.stat(database).then(() => true, () => false);
  if (found === null || !there) return;
  const store = openStore(database);
  try {
    const place = await Deno.realPath(clone);
    if (store.seals.get(place) === null) return;
    store.seals.set(place, {
      digest: found.digest,
      parts: JSON.stringify(remembered(found)),
      sealedAt: 0,
      sealedBy: "tester",
    });
  } finally {
    store.close();
  }
}

/** Empties the tables of seals in a database. */
export function forgetSeals(database: string): void {
  const db = openDatabase(database);
  try {
    db.exec("DELETE FROM seals; DELETE FROM sealed_roots;");
  } finally {
    db.close();
  }
}

/** Notes in a database that something has run in a box below a directory. */
export function markBoxed(database: string, directory: string): void {
  const store = openStore(database);
  try {
    store.seals.markBoxed(directory, 1);
  } finally {
    store.close();
  }
}
