// What somebody writes while `ticket switch --stash` puts work away and brings other work back, or `ticket update
// --stash` brings the same back, is never lost, before whichever call of git it is written, and never blocks what comes
// next: before some calls, and with AMOF_TEST_THOROUGHLY before each, or before some more where the way is the same.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { THOROUGHLY } from "../support/sample.ts";
import { World } from "../support/world.ts";

const ignore = Deno.build.os === "windows"; // shell scripts

/** Two tickets with uncommitted work, and a base branch with news: that of T-1 is put away, that of T-2 in the clone. */
function twoTickets(): Promise<World> {
  return World.like("two tickets and news", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    for (const id of ["T-1", "T-2"]) {
      assertEquals((await world.amof(["ticket", "start", id, "--stash"])).code, 0);
      for (const name of ["notes", "README.md"]) {
        await Deno.writeTextFile(join(world.clone("api"), name), `of ${id}\n`);
      }
    }
    const seed = join(world.directory, "seed", "api");
    await Deno.writeTextFile(join(seed, "theirs"), "theirs\n");
    await world.git(seed, "add", "theirs");
    await world.git(seed, "commit", "--quiet", "-m", "Theirs");
    await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "main");
  });
}

/** Everything that files and stashes of a clone have under a name. */
async function contents(world: World, name: string): Promise<string> {
  const clone = world.clone("api");
  const stashes = (await world.git(clone, "stash", "list", "--format=%H")).split("\n");
  const found = [await Deno.readTextFile(join(clone, name)).catch(() => "")];
  for (const commit of stashes.filter((one) => one !== "")) {
    for (const tree of [commit, `${commit}^3`]) {
      const shown = await world.command("git", ["-C", clone, "show", `${tree}:${name}`]);
      if (shown.code === 0) found.push(shown.stdout);
    }
  }
  return found.join("");
}

/** Runs a command in which git call `call` comes after somebody has written; false where there are fewer calls. */
async function writtenAt(
  words: readonly string[],
  call: number,
  { name, kill }: { readonly name: string; readonly kill: boolean },
): Promise<boolean> {
  await using world = await twoTickets();
  const count = join(world.directory, "count");
  const file = join(world.clone("api"), name);
  const env = await world.wrapGit(`echo call >> '${count}'
if [ "$(wc -l < '${count}')" -eq ${call} ]; then
  echo mine >> '${file}'
  ${kill ? 'kill -9 "$PPID"; exit 99' : ":"}
fi`);
  if (kill) await world.start(words, { env }).output();
  else await world.amof(words, { env });
  const calls = (await Deno.readTextFile(count)).split("\n").length - 1;
  if (calls < call) return false;
  const repaired = await world.amof(["doctor", "--repair"]);
  assertEquals(repaired.code, 0, `call ${call}: ${repaired.stdout}${repaired.stderr}`);
  const all = await contents(world, name);
  assertStringIncludes(all, "mine\n", `call ${call}: ${repaired.stdout}`);
  for (const id of ["T-1", "T-2"]) assertStringIncludes(all, `of ${id}\n`, `call ${call}`);
  // The other file was nobody's business.
  const other = await contents(world, name === "notes" ? "README.md" : "notes");
  for (const id of ["T-1", "T-2"]) assertStringIncludes(other, `of ${id}\n`, `call ${call}`);
  return true;
}

/** The commands, and how many calls it is from one at which somebody writes to the next: in a sample, and else. */
const COMMANDS = [
  { words: ["ticket", "switch", "T-1", "--stash"], sample: 15, all: 1 },
  { words: ["ticket", "update", "--stash"], sample: 40, all: 4 },
] as const;
/** More calls than any of them has. */
const MOST = 200;

for (const { words, sample, all } of COMMANDS) {
  for (const [at, name] of ["notes", "README.md"].entries()) {
    for (const kill of [false, true]) {
      Deno.test({
        name: `what somebody writes to ${name} while amof ${words.join(" ")} is at work${
          kill ? " and is killed" : ""
        } stays`,
        ignore,
        async fn() {
          const turn = at * 2 + Number(kill);
          const step = THOROUGHLY ? all : sample;
          let call = THOROUGHLY ? 1 + turn % all : 3 + turn;
          while (call < MOST && await writtenAt(words, call, { name, kill })) call += step;
          assert(call > 20 && call < MOST, `${call} calls of git`);
        },
      });
    }
  }
}
