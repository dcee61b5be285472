// What a person commits while an undo is at work stays on a branch, or where they had detached HEAD themselves.

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { World } from "../support/world.ts";

/** What is undone: commands, each with its arguments. */
const UNDONE: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "a ticket that was begun": [["ticket", "start", "T-1"]],
  "a change between tickets": [
    ["ticket", "start", "T-1"],
    ["ticket", "start", "T-2"],
    ["ticket", "switch", "T-1"],
  ],
  "a commit": [["exec", "--shell", "git commit -q --allow-empty -m Theirs"]],
  "a commit on a new branch": [
    ["exec", "--shell", "git switch -q -c side && git commit -q --allow-empty -m Theirs"],
  ],
  "a branch that was left for a commit": [["exec", "--shell", "git switch -q --detach"]],
  "a commit that was left for a branch": [
    ["exec", "--shell", "git switch -q --detach"],
    ["exec", "--shell", "git switch -q -c side"],
  ],
};

/** Undoes the last command, and commits before the call of git with this number that changes refs; false without one. */
async function committedAt(commands: readonly (readonly string[])[], call: number) {
  await using world = await World.installed({ repos: ["api"] });
  const clone = world.clone("api");
  for (const words of commands) assertEquals((await world.amof(words)).code, 0);
  const count = join(world.directory, "count");
  const env = await world.wrapGit(`case "$*" in *"amof undo"*)
  echo call >> '${count}'
  if [ "$(wc -l < '${count}')" -eq ${call} ]; then
    command -p git -C '${clone}' commit -q --allow-empty -m Mine >&2 || exit 99
  fi ;;
esac`);
  await world.amof(["undo", "--yes"], { env });
  const mine = await world.git(clone, "log", "--all", "--reflog", "--format=%H", "--grep=^Mine$");
  if (mine === "") return false;
  const held = await world.git(clone, "for-each-ref", "--contains", mine, "refs/heads");
  const head = await world.git(clone, "log", "--format=%H", "--grep=^Mine$");
  assert(held !== "" || head === mine, "the commit is on no branch, and not checked out");
  // Nothing stands in the way of what comes next.
  assertEquals((await world.amof(["doctor", "--repair"])).code, 0);
  return true;
}

for (const [what, commands] of Object.entries(UNDONE)) {
  Deno.test({
    name: `what somebody commits while amof undo takes back ${what} is on a branch`,
    ignore: Deno.build.os === "windows", // shell scripts
    async fn() {
      let call = 1;
      while (await committedAt(commands, call)) call++;
      assert(call > 1, "the undo changes no ref");
    },
  });
}
