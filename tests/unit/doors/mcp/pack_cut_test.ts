// Between two turns of others only so many items of a long plan are looked at while its answer is made.

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Change, DriftItem } from "../../../../src/apps/agentpack/mod.ts";
import { ITEMS_PER_TURN } from "../../../../src/base/async/pool.ts";
import type { Envelope } from "../../../../src/doors/agentpack/carry_out.ts";
import { cutToFit } from "../../../../src/doors/agentpack/mcp/cut.ts";
import { isWithin } from "../../../../src/doors/mcp/result.ts";

const ITEMS = 5_000;
/** More than an answer can show, so that looking at them again costs nothing. */
const SHOWN = 400;

/** An answer whose items say when they are looked at. */
function envelope(data: object): Envelope {
  return {
    schema_version: 1,
    ok: true,
    command: "plan",
    command_id: "plan",
    command_path: ["plan"],
    version: "0.1.0",
    data,
    warnings: [],
    errors: [],
  };
}

/** An item whose `member` is watched. */
function watched<T extends object>(item: T, member: keyof T, look: (item: object) => void): T {
  const value = item[member];
  return Object.defineProperty({ ...item }, member, {
    enumerable: true,
    get(this: object) {
      look(this);
      return value;
    },
  });
}

const path = (at: number) => `/project/.codex/skills/s${at % 900}/d${at % 7}/${at}.md`;

Deno.test("a plan and drift of 5,000 files are cut for an answer in turns with others", async () => {
  const seen = new Set<object>();
  let most = 0;
  let pauses = 0;
  const pause = () => {
    most = Math.max(most, seen.size);
    seen.clear();
    return Promise.resolve(void pauses++);
  };
  const look = (item: object) => void seen.add(item);
  const numbers = Array.from({ length: ITEMS }, (_, at) => at);
  const changes = numbers.map((at): Change =>
    watched(
      {
        target: "codex",
        op: "create",
        path: path(at),
        path_posix: path(at),
        before_sha256: null,
        after_sha256: "0".repeat(64),
        reason: "file missing",
      },
      "target",
      look,
    )
  );
  const drift = numbers.map((at): DriftItem =>
    watched(
      {
        target: "codex",
        path: path(at),
        path_posix: path(at),
        expected: null,
        actual: null,
        kind: at === ITEMS - 1 ? "modified" : "missing",
      },
      "target",
      look,
    )
  );
  for (
    const data of [{ changes }, {
      plan: { changes },
      diff: { changes, files: changes.map((one) => ({ ...one, root: "/project" })) },
    }, { drift }]
  ) {
    [most, pauses] = [0, 0];
    seen.clear();
    const answer = await cutToFit(envelope(data), pause);
    await pause();
    assert(most <= ITEMS_PER_TURN + SHOWN, `${Object.keys(data)}: ${most} between two turns`);
    assert(pauses >= 2 * ITEMS / ITEMS_PER_TURN, String(pauses));
    assert(isWithin({ ...answer }));
    // Whoever cancels the call ends this, too.
    let left = 5;
    await assertRejects(
      () =>
        cutToFit(
          envelope(data),
          () => --left < 0 ? Promise.reject(new Error("cancelled")) : Promise.resolve(),
        ),
      Error,
      "cancelled",
    );
  }
  const edited = await cutToFit(envelope({ drift }), pause);
  const shown = (edited.data as { readonly drift: readonly DriftItem[] }).drift;
  assertEquals(shown[0]?.kind, "modified");
});
