// Covers tryLock(): with and without a runtime that can try.

import { assertEquals } from "@std/assert";
import { tryLock } from "../../../../../src/base/system/real/files.ts";

for (const tries of [true, false]) {
  Deno.test(`tryLock() ${tries ? "asks" : "waits where it can only wait"}, and tells whether another holds the lock`, async () => {
    const path = await Deno.makeTempFile();
    const closed: string[] = [];
    const open = async (name: string) => {
      const file = await Deno.open(path, { read: true, write: true });
      const lockable = {
        lock: (exclusive?: boolean) => file.lock(exclusive),
        unlock: () => file.unlock(),
        close() {
          closed.push(name);
          file.close();
        },
        ...(tries ? { tryLock: (exclusive?: boolean) => file.tryLock(exclusive) } : {}),
      };
      return { file, lockable };
    };
    try {
      const first = await open("first");
      assertEquals(await tryLock(first.lockable), true);
      const second = await open("second");
      assertEquals(await tryLock(second.lockable, 50), false);
      await first.lockable.unlock();
      first.lockable.close();
      // The waiter that gave up gets the lock now and releases it.
      while (!closed.includes("second")) await new Promise((resolve) => setTimeout(resolve, 5));
      const third = await open("third");
      assertEquals(await tryLock(third.lockable), true);
      third.lockable.close();
    } finally {
      await Deno.remove(path);
    }
  });
}
