// What is put into the command lines of hints, so that they mean the same wherever they are pasted.

import { assertEquals } from "@std/assert";
import { inAdvice, inFixMembers, namingPlace } from "../../../src/pipeline/hint.ts";

const ABOUT = { ecosystem: "demo", ticket: "T-1" };

Deno.test("a command line in a hint gets the ticket of the call unless it names one, each line for itself", () => {
  const said = (hint: string) => namingPlace(hint, ABOUT);
  assertEquals(said("Look: amof status"), "Look: amof -e demo -t T-1 status");
  assertEquals(said("Push: amof push --ticket T-2"), "Push: amof -e demo push --ticket T-2");
  assertEquals(
    said("Look: amof status\nPush: amof push -t T-2 --yes"),
    "Look: amof -e demo -t T-1 status\nPush: amof -e demo push -t T-2 --yes",
  );
  assertEquals(said("See: amof -e shop status"), "See: amof -e shop status");
});

Deno.test("inAdvice() changes commands that are there to be pasted, and no other words", () => {
  const text = [
    "⚠ api: behind, as amof status says",
    "    fix: amof sync",
    "         amof push",
    "Start one with: amof ticket start ID",
    "         amof log",
    "docs: amof status",
    "   - faa140f docs: amof status",
    "    title: P-1: amof status",
    "Lose api: 1 unpushed commit: faa140f Again: amof sync",
  ].join("\n");
  assertEquals(
    inAdvice(text, (advice) => advice.toUpperCase(), () => ["faa140f Again: amof sync"]),
    [
      "⚠ api: behind, as amof status says",
      "    FIX: AMOF SYNC",
      "         AMOF PUSH",
      "Start one with: AMOF TICKET START ID",
      "         amof log",
      "docs: amof status",
      "   - faa140f docs: amof status",
      "    title: P-1: amof status",
      "Lose api: 1 unpushed commit: faa140f Again: amof sync",
    ].join("\n"),
  );
  assertEquals(
    inFixMembers(
      { fix: "a", repos: [{ fix: null, needs: [{ fix: "b", problem: "b" }] }] },
      (fix) => `${fix}!`,
    ),
    { fix: "a!", repos: [{ fix: null, needs: [{ fix: "b!", problem: "b" }] }] },
  );
});
