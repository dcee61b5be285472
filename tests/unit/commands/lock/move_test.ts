// Covers the decision how a clone comes to the commit of a lock, and what leads on where it stays.

import { assertEquals } from "@std/assert";
import {
  type CloneState,
  decideMove,
  lockAnew,
  movesFrom,
} from "../../../../src/commands/lock/move.ts";

const COMMIT = "c".repeat(40);
const HEAD = "a".repeat(40);
const SEE = "See how it stands: amof status";
const AWAY = "git -C code/api stash push --include-untracked";
const BACK = `Put it back: git -C code/api reset --keep ${COMMIT}`;

const CLEAN: CloneState = {
  directory: "code/api",
  inProgress: null,
  branch: "main",
  head: HEAD,
  changed: 0,
  isConflicted: false,
  commit: "behind",
  own: 0,
  isAdopted: false,
  inTicket: false,
};

const TABLE: readonly (readonly [Partial<CloneState>, string, string?])[] = [
  [{ head: COMMIT }, "there"],
  [{ head: COMMIT, branch: "topic", changed: 3 }, "there"],
  [{ commit: "unknown" }, "fetch"],
  [{ commit: "unknown", head: null }, "fetch"],
  [{ commit: "ahead" }, "forward"],
  [{ commit: "ahead", isAdopted: true, own: 1 }, "forward"],
  [{}, "put"],
  [{ commit: "apart" }, "put"],
  [{ isAdopted: true }, "stay", BACK],
  [{ isAdopted: true, commit: "apart" }, "stay", BACK],
  // A move back would leave a commit behind that nobody else has.
  [{ own: 1 }, "stay", SEE],
  [{ own: 1, isAdopted: true }, "stay", SEE],
  [{ changed: 1 }, "stay", AWAY],
  [{ changed: 1, commit: "ahead" }, "stay", AWAY],
  [{ changed: 1, isConflicted: true }, "stay", SEE],
  [{ inProgress: "merge" }, "stay", SEE],
  [{ inProgress: undefined }, "stay", SEE],
  [{ branch: "topic" }, "stay", "git -C code/api switch main"],
  [{ branch: null }, "stay", "git -C code/api switch main"],
  [{ branch: "topic", inTicket: true }, "stay", "amof ticket switch main"],
];

Deno.test("decideMove() moves a clone only where no commit is only there, and says what leads on where it stays", () => {
  for (const [found, to, fix] of TABLE) {
    const way = decideMove({ branch: "main" }, COMMIT, { ...CLEAN, ...found });
    assertEquals([way.to, way.to === "stay" ? way.fix : undefined], [to, fix], Deno.inspect(found));
  }
});

Deno.test("movesFrom() offers another lock only where none of the clones has what its remote has not", () => {
  const [back, see] = [{ name: "api", fix: BACK }, { name: "web", fix: SEE }];
  assertEquals(movesFrom([back]), [BACK, "Lock what is here: amof lock"]);
  assertEquals(
    movesFrom([back], "my lock.json")[1],
    "Lock what is here: amof lock --out 'my lock.json'",
  );
  assertEquals(movesFrom([back, see]), [`api: ${BACK}`, `web: ${SEE}`]);
  assertEquals(movesFrom([{ name: "api", fix: null }]), []);
  assertEquals(movesFrom([{ name: "api", fix: AWAY }]), [AWAY]);
  // Nor while one is not there.
  assertEquals(movesFrom([back], null, false), [BACK]);
});

Deno.test("lockAnew() writes over nothing that is no lock", () => {
  const path = "/c/ecosystems/my shop/lock.json";
  assertEquals(lockAnew(path, { other: null, isInTheWay: false }), [
    "Lock what is here: amof lock",
  ]);
  assertEquals(lockAnew(path, { other: "o.json", isInTheWay: true }), [
    `Put aside what is there: mv '${path}' '${path}.old'`,
    "Then lock what is here: amof lock --out o.json",
  ]);
});
