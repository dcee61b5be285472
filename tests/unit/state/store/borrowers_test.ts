// Covers Borrowers: who needs which mirror.

import { assertEquals } from "@std/assert";
import { openStore } from "../../../../src/state/store/open.ts";

Deno.test("Borrowers forgets a clone, or all clones below a directory, and no neighbour", () => {
  const { borrowers, close } = openStore(":memory:");
  const at = (directory: string, mirror = "/m/api.git") => ({
    mirror,
    directory,
    root: "/control",
    ecosystem: "shop",
    ticket: "P-1",
  });
  const clones = ["/w/shop@P-1/repos/api", "/w/shop@P-1/repos/web", "/w/shop@P-10/repos/api"];
  for (const directory of clones) borrowers.add(at(directory));
  borrowers.add(at("C:\\w\\shop@P-1\\api"));
  assertEquals(borrowers.of("/m/api.git").length, 4);
  // A clone borrows from one mirror.
  borrowers.add(at(clones[1] ?? "", "/m/web.git"));
  assertEquals(borrowers.of("/m/web.git"), [at(clones[1] ?? "", "/m/web.git")]);
  assertEquals(borrowers.list().length, 4);
  borrowers.remove("/w/shop@P-1");
  borrowers.remove("C:\\w\\shop@P-1");
  assertEquals(borrowers.list(), [at(clones[2] ?? "")]);
  borrowers.remove(clones[2] ?? "");
  assertEquals(borrowers.list(), []);
  close();
});
