// Fills the disk on which control repository and state lie, a real one of a few megabytes, before work on tickets: what
// does not fit is said in words, which name no place of the program's own, nothing of anybody is lost, and the repair
// leaves nothing behind.

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { APART, canMount } from "../support/mounts.ts";
import { third, THOROUGHLY } from "../support/sample.ts";
import { quoted } from "../support/pseudo_terminal.ts";
import { program, World } from "../support/world.ts";

/** Fills the disk up to so many kilobytes, for one program alone. */
const FULL = `
set -u
small=$WORLD/small
mkdir -p "$small"
mount -t tmpfs -o size=60m none "$small" || exit 99
for part in control state; do
  cp -a "$WORLD/$part" "$small/$part"
  mount --bind "$small/$part" "$WORLD/$part"
done
cd "$WORLD/control"
free=$(df -k --output=avail "$small" | tail -n 1)
dd if=/dev/zero of="$small/fill" bs=1k count=$((free - LEFT)) 2>/dev/null
amof() { eval "$PROGRAM" '"$@"'; }
`;

/** Runs a call there, frees the disk, repairs, and tells what there is. Nothing of it stays. */
const SCRIPT = `
${FULL}
amof "$@" > "$WORLD/said" 2>&1
echo "code $?"
rm "$small/fill"
amof doctor --repair > "$WORLD/repaired" 2>&1
echo "repair $?"
for clone in worktrees/demo*/repos/*; do
  git -C "$clone" fsck --no-dangling --no-progress >"$WORLD/fsck" 2>&1 || echo "broken $clone $(cat "$WORLD/fsck")"
  for stash in $(git -C "$clone" stash list --format=%H); do
    git -C "$clone" show "$stash^3:big.txt" 2>/dev/null | sha256sum | sed 's/^/work /'
  done
  sha256sum < "$clone/big.txt" 2>/dev/null | sed 's/^/work /'
  git -C "$clone" log --all --format='commit %s'
done
ls -A worktrees | sed 's/^/entry /'
`;

/** What a call came to. */
interface Seen {
  /** Everything that it printed. */
  readonly said: string;
  /** What there was afterwards, a word and what it is about. */
  readonly lines: readonly string[];
}

async function run(world: World, kilobytes: number, script: string, args: readonly string[]) {
  const ran = await world.command("unshare", [...APART, "sh", "-c", script, "sh", ...args], {
    env: {
      WORLD: world.directory,
      LEFT: String(kilobytes),
      PROGRAM: program().map(quoted).join(" "),
    },
  });
  assert(ran.code !== 99, ran.stderr);
  return ran;
}

async function withLeft(world: World, kilobytes: number, args: readonly string[]): Promise<Seen> {
  const ran = await run(world, kilobytes, SCRIPT, args);
  return {
    said: await Deno.readTextFile(join(world.directory, "said")),
    lines: ran.stdout.trim().split("\n"),
  };
}

/** A ticket in the base workspace with a commit and a large file that are nowhere else, and one with its own workspace. */
const atWork = (): Promise<World> => World.like("work and a large file", prepare);

async function prepare(world: World): Promise<void> {
  await world.makeInstalled({ repos: ["api", "web"] });
  for (const repo of ["api", "web"]) {
    const seed = join(world.directory, "seed", repo);
    await Deno.writeTextFile(join(seed, "large.txt"), `${repo} of some size\n`.repeat(20_000));
    await world.git(seed, "add", "--all");
    await world.git(seed, "commit", "--quiet", "-m", "Large");
    await world.git(seed, "push", "--quiet", join(world.remotes, `${repo}.git`), "main");
  }
  const calls = [["sync"], ["ticket", "start", "T-1"], ["ticket", "start", "T-2", "--workspace"]];
  for (const args of calls) {
    const ran = await world.amof(args);
    assertEquals(ran.code, 0, ran.stderr);
  }
  await world.git(world.clone("web"), "commit", "--quiet", "--allow-empty", "-m", "Mine");
  const bytes = new Uint8Array(400_000);
  for (let at = 0; at < bytes.length; at += 50_000) {
    crypto.getRandomValues(bytes.subarray(at, at + 50_000));
  }
  await Deno.writeFile(join(world.clone("api"), "big.txt"), bytes);
}

const CALLS: Readonly<Record<string, readonly string[]>> = {
  "a run that is kept for undo": ["exec", "--yes", "--", "touch", "touched"],
  "a ticket that starts": ["ticket", "start", "T-3", "--workspace"],
  "a ticket that moves": ["ticket", "move", "T-1", "--workspace", "--yes"],
  "a ticket that ends": ["ticket", "end", "T-2", "--yes"],
  "a ticket that ends and stays": ["ticket", "end", "T-2", "--keep-workspace"],
  "a ticket that starts over work": ["ticket", "start", "T-3", "--stash"],
  "a ticket that is left over work": ["ticket", "switch", "main", "--stash"],
};
/** Where next to nothing fits any more. */
const NEXT_TO_NOTHING = 20;
const LEFT = THOROUGHLY
  ? [0, NEXT_TO_NOTHING, 60, 150, 300, 500, 700, 1000, 1500, 2000, 3000]
  : [NEXT_TO_NOTHING, 300, 900];

for (const [index, [name, args]] of Object.entries(CALLS).entries()) {
  Deno.test({
    name: `a full disk loses nothing: ${name}`,
    ignore: !await canMount(),
    async fn() {
      await using world = await atWork();
      const work = (await world.command("sha256sum", [join(world.clone("api"), "big.txt")])).stdout
        .slice(0, 64);
      let refused = 0;
      const left = third(LEFT, index);
      for (const kilobytes of left) {
        const { said, lines } = await withLeft(world, kilobytes, args);
        const what = `${kilobytes} kB: ${said}\n${lines.join("\n")}`;
        assert(lines.includes("repair 0"), what);
        assert(!lines.some((line) => line.startsWith("broken ")), what);
        assert(lines.some((line) => line.startsWith(`work ${work}`)), what);
        assert(lines.includes("commit Mine"), what);
        assert(lines.every((line) => !/^entry .*\.amof-/.test(line)), what);
        assert(!/Unexpected failure|was cancelled|^ +at /m.test(said), what);
        if (lines[0] === "code 0") continue;
        refused++;
        assertMatch(said, /space|unable to write|failed to write|could not set/, what);
      }
      const mustFill = left.includes(NEXT_TO_NOTHING) && !name.includes("ends");
      assert(refused > 0 || !mustFill, "the disk was never full");
    },
  });
}

/** Commits there with a hook that leaves no room and refuses, then again once there is room and no hook. */
const REFUSED = `
set -u
${FULL}
export FILL="$small/fill"
hook=worktrees/demo/repos/api/.git/hooks/pre-commit
amof "$@" > "$WORLD/said" 2>&1
echo "code $?"
find . -path '*.git/*' -name '*.lock' ! -path '*/amof/*' | sed 's/^/lock /'
rm "$FILL" "$hook"
amof doctor --repair > "$WORLD/repaired" 2>&1
echo "repair $?"
git -C worktrees/demo/repos/api diff --cached --name-only | sed 's/^/staged /'
amof "$@" > "$WORLD/again" 2>&1
echo "again $?"
`;

Deno.test({
  name: "a commit that a hook refuses on a full disk leaves no lock of git's behind",
  ignore: !await canMount(),
  async fn() {
    await using world = await World.installed({ repos: ["api", "web"] });
    await Deno.writeTextFile(join(world.clone("api"), "mine.txt"), "mine\n");
    await world.hook(
      join(world.clone("api"), ".git"),
      "pre-commit",
      'dd if=/dev/zero of="$FILL" bs=1k 2>/dev/null; echo not today >&2; exit 1',
    );
    const ran = await run(world, 10_000, REFUSED, [
      "commit",
      "-m",
      "Mine",
      "--allow-base",
      "--yes",
    ]);
    const said = await Deno.readTextFile(join(world.directory, "said"));
    const what = `${said}\n${await Deno.readTextFile(join(world.directory, "again"))}`;
    const lines = ran.stdout.trim().split("\n");
    assertEquals(lines.slice(1), ["repair 0", "again 0"], what);
    assert(lines[0] !== "code 0", what);
    assert(!/another git process|Unexpected failure/.test(said), what);
  },
});

/** Asks a server for one thing there, which ends once it has answered; what is said is the messages of the server. */
const OVER_MCP = `
${FULL}
answers="$WORLD/answers"
: > "$answers"
ask() {
  printf '%s\\n' "$@"
  turns=0
  until grep -q '"id":2' "$answers" || [ $turns -ge 1200 ]; do sleep 0.1; turns=$((turns + 1)); done
}
ask "$@" | amof mcp serve --toolsets all --mode execute > "$answers"
cat "$answers"
`;

/** How many kilobytes are left besides, where those of {@linkcode LEFT} do not show both. */
const MORE = [130, 170, 220, 280, 350, 450, 650];

const TOOLS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ["amof_ticket_start", { ticket_id: "T-3", workspace: true }],
  ["amof_ticket_start", { ticket_id: "T-3", stash: true }],
  ["amof_ticket_switch", { ticket_id: "main", stash: true }],
  ["amof_get_ecosystem_status", {}],
];

Deno.test({
  name: "who is told over MCP that the disk is full does not learn where the program has its files",
  ignore: !await canMount(),
  async fn() {
    await using world = await atWork();
    const greeting = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "test", version: "1" },
    };
    const failed: string[] = [];
    const words = ["file_failed", "git_failed"];
    const seen = (word: string) => failed.some((what) => what.includes(word));
    // Who runs out of room first, the program or git, is a matter of few kilobytes: some more sizes where it was one alone.
    for (const kilobytes of [...LEFT, ...MORE]) {
      if (MORE.includes(kilobytes) && words.every(seen)) break;
      for (const [name, args] of TOOLS) {
        const call = { name, arguments: { ecosystem: "demo", ...args } };
        const { stdout } = await run(world, kilobytes, OVER_MCP, [
          JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: greeting }),
          JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
          JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: call }),
        ]);
        const what = `${kilobytes} kB, ${name}: ${stdout}`;
        assertMatch(stdout, /"id":2/, what);
        if (stdout.includes('"isError":true')) failed.push(what);
        assert(!stdout.includes(world.env["AMOF_HOME"] ?? "?"), what);
      }
    }
    for (const word of words) assert(seen(word), `none is ${word}: ${failed.join("\n")}`);
    const damaged = failed.filter((what) => /state_corrupt|disk I\/O error/.test(what));
    assertEquals(damaged, [], "a disk that is full is told as damage");
  },
});
