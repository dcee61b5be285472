// Covers ofTrain(): what helps with one release, said of a repository of a train.

import { assertEquals } from "@std/assert";
import { ofTrain } from "../../../../src/commands/release/train/member.ts";

Deno.test("ofTrain() names the train's own command with the repository, and changes nothing else", () => {
  for (
    const [hint, push, expected] of [
      [
        "Make it stable: amof release promote",
        true,
        "Make it stable: amof release train promote --repo api",
      ],
      [
        "Go on from here: amof release promote rc\nOr: amof release minor --beta",
        false,
        "Go on from here: amof release train promote rc --repo api --no-push\n" +
        "Or: amof release train bump minor --beta --repo api --no-push",
      ],
      ["Push it first: amof release push", true, "Push it first: amof release push"],
      ["", true, ""],
    ] as const
  ) assertEquals(ofTrain(hint, "api", push), expected);
});
