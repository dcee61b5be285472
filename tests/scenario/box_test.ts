// Real boxes: what a program in one can do to everything around it, and what it gets to see (BOX-2, BOX-3).

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { type BoxWish, planBox, withBox } from "../../src/machine/box/mod.ts";
import { runId } from "../../src/base/ids.ts";
import { withMark } from "../../src/runs/mod.ts";
import { layoutOf } from "../../src/state/store/mod.ts";
import type { ProcessResult } from "../../src/base/system/mod.ts";
import { boxWorld, MAKER, mirrorOf, picture, systemOf, ticketOf } from "../support/box.ts";
import { QUIET_GIT, type World } from "../support/world.ts";

/** Runs a shell script in the box of ticket A. */
async function inBox(
  world: World,
  script: string,
  more: Partial<BoxWish> = {},
  env: Record<string, string> = {},
): Promise<ProcessResult> {
  if (MAKER === null) throw new Error("There is no box here");
  const system = systemOf(world, env);
  const layout = layoutOf(system.env);
  const directory = ticketOf(world, "A");
  const plan = await planBox(system, layout, {
    directory,
    guarded: [join(directory, ".amof")],
    curtains: [{ directory: join(world.control, "worktrees"), keep: ["demo"] }],
    needed: [world.control, join(layout.data, "mirrors")],
    network: "none",
    paths: { hide: [], show: [], write: [] },
    ...more,
  });
  return await withBox(system, { plan, maker: MAKER, layout }, (box) => {
    const [command = "", ...args] = box.vector(["sh", "-c", script], { terminal: false });
    return system.processes.run({
      command,
      args,
      clearEnv: true,
      env: {
        ...world.env,
        ...QUIET_GIT,
        ...box.variables,
        WORLD: world.directory,
        BASE: world.workspace(),
        MIRROR: mirrorOf(world),
        SIBLING: ticketOf(world, "B"),
        STATE: layout.state,
        TICKET: directory,
      },
      timeoutMs: 60_000,
    });
  });
}

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: MAKER === null, fn });
}

test("what amof runs for itself in a box is found as its run's when that is over", async () => {
  if (MAKER === null) return;
  await using world = await boxWorld();
  const run = runId(crypto.randomUUID());
  const system = withMark(systemOf(world, {}), run);
  const layout = layoutOf(system.env);
  const plan = await planBox(system, layout, {
    directory: ticketOf(world, "A"),
    guarded: [],
    curtains: [],
    needed: [],
    network: "none",
    paths: { hide: [], show: [], write: [] },
  });
  const { stdout } = await withBox(
    system,
    { plan, maker: MAKER, layout },
    ({ inside }) => inside.processes.run({ command: "sh", args: ["-c", "echo $AMOF_CHILD_OF"] }),
  );
  assertEquals(stdout.trim(), run);
});

/** Each is tried on its own; what one breaks in the ticket may stop others there, so each works on a copy. */
const ATTACKS: Readonly<Record<string, string>> = {
  "plain writes": `
    for place in "$WORLD" "$WORLD/control" "$WORLD/control/.git" "$BASE" "$BASE/repos/api" "$BASE/repos/api/.git" \\
      "$SIBLING" "$SIBLING/repos/api" "$MIRROR" "$MIRROR/objects" "$HOME" "$HOME/.ssh" "$STATE" /usr /etc /var; do
      echo evil > "$place/evil"; mkdir "$place/evil.d"; rm -rf "$place"/e*; chmod 777 "$place"; touch "$place"
    done
    echo evil >> "$MIRROR/config"; echo evil >> "$BASE/repos/api/README.md"; rm -f "$MIRROR/HEAD"`,
  "symbolic links": `
    ln -s "$MIRROR" m; ln -s "$BASE" b; ln -s / r; ln -s "$SIBLING" s
    echo evil > m/config; echo evil > b/repos/api/README.md; echo evil > "r$WORLD/evil"; rm -rf m/ b/ s/
    cp -f /dev/null m/HEAD; ln -sfn x "$WORLD/control/worktrees/link"`,
  "hard links": `
    ln "$MIRROR/config" hard && echo evil >> hard
    ln "$BASE/repos/api/README.md" hard2 && echo evil >> hard2
    for f in $(find "$MIRROR/objects" -type f); do ln "$f" . ; done
    for f in *; do [ -f "$f" ] && [ "$(stat -c %h "$f")" -gt 1 ] && echo evil > "$f"; done`,
  "renames": `
    mv .git .g2; mv .g2 "$MIRROR/.g2"; mv "$MIRROR/refs" .; mv "$BASE" .; mv "$TICKET/.amof" "$TICKET/.amof2"
    mv "$TICKET" "$WORLD/control/worktrees/demo@C"; mv "$WORLD/control/worktrees" "$WORLD/control/w2"`,
  "the record of the ticket": `
    echo '{"version":1}' > "$TICKET/.amof/ticket.json"; rm -rf "$TICKET/.amof"; ln -sfn /etc "$TICKET/.amof"
    mount --bind /tmp "$TICKET/.amof"; umount "$TICKET/.amof"; umount -l "$TICKET/.amof"`,
  "gc, prune and repack": `
    git gc --prune=now --aggressive; git repack -a -d -f; git prune --expire=now; git reflog expire --expire=now --all
    git -C "$MIRROR" gc --prune=now; git -C "$MIRROR" repack -a -d; git -C "$MIRROR" prune --expire=now
    git -C "$BASE/repos/api" gc --prune=now; git -C "$MIRROR" update-ref -d refs/heads/main
    git push "$MIRROR" HEAD:refs/heads/evil; git push "$WORLD/remotes/api.git" HEAD:refs/heads/evil`,
  "alternates": `
    echo "$WORLD/control/.git/objects" >> .git/objects/info/alternates
    echo "$SIBLING/repos/api/.git/objects" >> .git/objects/info/alternates
    git gc --prune=now; git repack -a -d -l; rm -f .git/objects/info/alternates; git fsck
    ln -sfn "$MIRROR/objects" .git/objects; git hash-object -w README.md; echo more | git hash-object -w --stdin`,
  "settings of git": `
    git config core.worktree "$BASE/repos/api"; git checkout -f HEAD~0; git clean -fdx; git reset --hard
    git config --unset core.worktree; git config core.fsmonitor "touch $WORLD/evil"; git status
    git config --global user.name evil; git config --system user.name evil
    printf '#!/bin/sh\\ntouch "%s/evil"\\n' "$WORLD" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
    git commit --allow-empty -m evil; GIT_DIR="$MIRROR" git config core.bare false
    GIT_INDEX_FILE="$BASE/repos/api/.git/index" git read-tree --empty; git worktree add "$WORLD/control/evil"`,
  "other processes": `
    for p in /proc/[0-9]*; do
      echo evil > "$p/root$WORLD/evil"; echo evil > "$p/cwd/../evil"; cat "$p/environ" > /dev/null; echo 1000 > "$p/oom_score_adj"
    done
    echo c > /proc/sysrq-trigger; echo evil > /proc/sys/kernel/hostname; echo evil > /proc/sys/kernel/core_pattern
    kill -9 1`,
  "namespaces and mounts": `
    umount "$STATE"; umount -l "$HOME/.ssh"; mount -o remount,rw /; mount --bind / /mnt
    unshare -Urm sh -c 'umount "$HOME/.ssh"; umount "$WORLD/control/worktrees"; mount -o remount,rw,bind "$MIRROR"; touch "$MIRROR/evil"; echo evil > "$WORLD/evil"'
    nsenter -t 1 -m touch "$WORLD/evil"; chroot /proc/1/root touch "$WORLD/evil"
    mknod disk b 8 0; mknod zero c 1 5`,
  "special programs": `
    perl -e 'for my $nr (101) { for my $pid (1..60) { syscall($nr, 0x4206, $pid, 0, 0) } }'
    perl -e 'ioctl(STDIN, 0x5412, my $c = "x"); open(my $t, "+<", "/dev/tty") and ioctl($t, 0x5412, my $d = "x")'
    sudo -n touch "$WORLD/evil"; su -c "touch $WORLD/evil"; setpriv --reuid 1 touch "$WORLD/evil"
    echo evil > /dev/shm/evil; echo evil > /tmp/evil; echo evil > /var/tmp/evil; echo evil > "$XDG_RUNTIME_DIR/evil"`,
};

test("nothing that a program in the box does changes a byte outside of its ticket", async () => {
  await using world = await boxWorld();
  const ticket = ticketOf(world, "A");
  const before = await picture(world.directory, ticket);
  const attacks = Object.values(ATTACKS).map((attack, index) => `
    (
      cp -a "$TICKET/repos/api" "$TICKET/copy-${index}" && cd "$TICKET/copy-${index}"
      ${attack}
      echo tried >> "$TICKET/tried"
    )`);
  const { stdout, stderr, exitCode } = await inBox(
    world,
    `
    exec 3>&1 4>&2 > "$TICKET/output" 2>&1
    ${attacks.join("\n")}
    exec >&3 2>&4
    cd "$TICKET/repos/api"
    git add work.txt && git commit --quiet -m Work && git log -1 --format=%s
    wc -l < "$TICKET/tried"
    kill -9 -1; true
  `,
  );
  assertEquals(stdout, `Work\n${attacks.length}\n`, stderr);
  assertEquals(exitCode, 0);
  assertEquals(await picture(world.directory, ticket), before);
});

test("a program in the box reads the base workspace and the mirror, and neither secrets nor other tickets", async () => {
  await using world = await boxWorld();
  await world.write("agent.sock", "a key\n");
  const { stdout } = await inBox(
    world,
    `
    exec 2>/dev/null
    for file in "$BASE/repos/api/README.md" "$MIRROR/HEAD" "$HOME/notes.txt" "$TICKET/.amof/ticket.json" \
      "$SIBLING/repos/api/work.txt" "$HOME/.ssh/id_ed25519" "$HOME/.netrc" "$STATE/amof.db" "$STATE/../share/token" \
      "$WORLD/agent.sock"
    do
      if [ -s "$file" ] && cat "$file" > /dev/null; then echo "\${file#"$WORLD/"}"; fi
    done
    echo "tickets:" $(ls "$WORLD/control/worktrees")
    # A world may itself lie there.
    echo "temporary:" $(ls /tmp | grep -vF "$(echo "$WORLD" | cut -d / -f 3)"; ls /var/tmp; ls /dev/shm | grep -v "^amof-tests")
    [ "$(ls /proc | grep -c '^[0-9]')" -lt 10 ] && echo "processes: its own"
    echo "network:" $(grep : /proc/net/dev | grep -vc lo:)
    grep -E '^(CapPrm|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr '[:blank:]' ' '
  `,
    {},
    { SSH_AUTH_SOCK: join(world.directory, "agent.sock") },
  );
  assertEquals(stdout.split("\n"), [
    "control/worktrees/demo/repos/api/README.md",
    "state/share/mirrors/example.com/api.git/HEAD",
    "home/notes.txt",
    "control/worktrees/demo@A/.amof/ticket.json",
    "tickets: demo demo@A",
    "temporary:",
    "processes: its own",
    "network: 0",
    "CapPrm: 0000000000000000",
    "CapBnd: 0000000000000000",
    "NoNewPrivs: 1",
    "Seccomp: 2",
    "",
  ]);
});
