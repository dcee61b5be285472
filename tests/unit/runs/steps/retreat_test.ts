// Covers retreat(): what could not be taken back is not gone over by what relies on it, and locks of a dead git go.

import { runId } from "../../../../src/base/ids.ts";
import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { AmofError } from "../../../../src/base/error.ts";
import { Git } from "../../../../src/git/mod.ts";
import { operation, operationTable } from "../../../../src/runs/steps/mod.ts";
import { retreat, whatIsLeft, withLeftBehind } from "../../../../src/runs/steps/perform.ts";
import type { ExecuteContext } from "../../../../src/contract/mod.ts";
import type { JournalEntry, JournalTable, StepState } from "../../../../src/state/store/mod.ts";
import { realSystem } from "../../../../src/base/system/real/mod.ts";
import { rememberingReporter, temporaryDirectory } from "../../_support.ts";

type Step = { readonly name: string; readonly place: string | null; readonly fails?: boolean };

/** Takes steps back that were all done; answers what was done to which, and what is left. */
async function takeBack(steps: readonly Step[]) {
  const undone: string[] = [];
  const undo = (_: ExecuteContext, { name, fails }: Step) => {
    undone.push(name);
    return fails
      ? Promise.reject(new AmofError("would_lose_work", `${name} is busy`, { hint: "Wait" }))
      : Promise.resolve();
  };
  const act = () => Promise.resolve();
  const describe = ({ name }: Step) => name;
  const placed = operation<Step>({
    name: "placed",
    describe,
    act,
    undo,
    touches: ({ place }) => place === null ? [] : [place],
  });
  const anywhere = operation<Step>({ name: "anywhere", describe, act, undo });
  const states: [number, StepState][] = [];
  const entries = steps.map((args, seq): JournalEntry => ({
    op: args.place === null ? "anywhere" : "placed",
    args,
    seq,
    state: "done",
  }));
  const system = realSystem();
  const ctx = { system, git: new Git(system), report: rememberingReporter() };
  const left = await retreat(ctx as unknown as ExecuteContext, {
    table: {
      mark: (_run: string, seq: number, state: StepState) => void states.push([seq, state]),
    } as unknown as JournalTable,
    operations: operationTable([placed, anywhere]),
  }, { runId: runId("run"), entries, lifetime: null });
  return { undone, left, states };
}

Deno.test("retreat() takes everything back, last first", async () => {
  const { undone, left, states } = await takeBack([
    { name: "a", place: "/api" },
    { name: "b", place: null },
    { name: "c", place: "/web" },
  ]);
  assertEquals(undone, ["c", "b", "a"]);
  assertEquals(left, []);
  assertEquals(states.filter(([, state]) => state === "undone").length, 3);
});

Deno.test("retreat() leaves earlier steps alone that rely on what could not be taken back", async () => {
  const { undone, left, states } = await takeBack([
    { name: "anywhere", place: null },
    { name: "api 1", place: "/api" },
    { name: "web 1", place: "/web" },
    { name: "api 2", place: "/api", fails: true },
    { name: "web 2", place: "/web" },
  ]);
  assertEquals(undone, ["web 2", "api 2", "web 1"]);
  assertEquals(states.at(-1), [2, "undone"]);
  assertEquals(whatIsLeft(left), {
    lines: ["api 2: api 2 is busy"],
    hint: "Wait\nThen: amof doctor --repair",
  });
});

Deno.test("retreat() leaves alone what relies on a step that it has left alone", async () => {
  const { undone } = await takeBack([
    { name: "anywhere", place: null },
    { name: "web", place: "/web" },
    { name: "anything", place: null },
    { name: "api", place: "/api", fails: true },
  ]);
  assertEquals(undone, ["api"]);
});

Deno.test("retreat() stops where a step failed whose places are unknown", async () => {
  const { undone } = await takeBack([
    { name: "api", place: "/api" },
    { name: "anywhere", place: null, fails: true },
  ]);
  assertEquals(undone, ["anywhere"]);
});

Deno.test("git.removeStaleLocks() removes locks of the dead, and only those", async () => {
  await using directory = temporaryDirectory();
  const git = join(directory.path, ".git");
  await Deno.mkdir(join(git, "refs", "heads", "feature"), { recursive: true });
  await Deno.mkdir(join(git, "logs", "refs"), { recursive: true });
  const now = Date.now();
  const write = async (name: string, at: number) => {
    await Deno.writeTextFile(join(git, name), "");
    await Deno.utime(join(git, name), new Date(at), new Date(at));
  };
  await write("index.lock", now);
  await write("refs/heads/feature/T-1.lock", now);
  await write("logs/refs/stash.lock", now);
  await write("HEAD.lock", now - 60_000);
  await write("config.lock", now + 60_000);
  await write("refs/heads/main", now);
  const removed = await new Git(realSystem()).at(directory.path).removeStaleLocks({
    from: now - 1_000,
    to: now + 1_000,
  });
  assertEquals(
    removed.map((file) => file.slice(git.length + 1)).sort(),
    ["index.lock", "logs/refs/stash.lock", "refs/heads/feature/T-1.lock"],
  );
  const left = (await Array.fromAsync(Deno.readDir(git))).map((entry) => entry.name).sort();
  assertEquals(left, ["HEAD.lock", "config.lock", "logs", "refs"]);
});

Deno.test("withLeftBehind() says of a refusal of the file system that it is one", () => {
  const full = Object.assign(new Error("No space left on device (os error 28)"), {
    code: "ENOSPC",
  });
  const error = withLeftBehind(full, ["Switch api"], "Free some disk space");
  assertEquals([error.code, error.details["kind"], error.details["left_behind"], error.hint], [
    "file_failed",
    "disk_full",
    ["Switch api"],
    "Free some disk space",
  ]);
  assertEquals(withLeftBehind(new Error("a fault"), []).code, "internal_error");
});
