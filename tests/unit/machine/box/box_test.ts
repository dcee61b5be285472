// What a box is made of, as text: on a machine in memory.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { bubblewrapArguments, trialArguments } from "../../../../src/machine/box/bubblewrap.ts";
import { type BoxWish, findMaker, isBoxTrial, planBox } from "../../../../src/machine/box/mod.ts";
import { accessTo, isSharedFilesLook, sharedIn } from "../../../../src/machine/box/plan.ts";
import { seatbeltProfile } from "../../../../src/machine/box/box.ts";
import { layoutOf } from "../../../../src/state/store/mod.ts";
import type { System } from "../../../../src/base/system/mod.ts";
import { memoryWorld } from "../../../support/memory.ts";

const FILES = {
  "/home/me/.ssh/id": "key",
  "/home/me/.netrc": "password",
  "/home/me/.claude/state": "",
  "/home/me/.local/state/amof/amof.db": "",
  "/home/me/.local/share/amof/mirrors/api.git/HEAD": "",
  "/home/me/shop/worktrees/demo/.git": "",
  "/home/me/shop/worktrees/demo@A/.amof/ticket.json": "",
  "/home/me/shop/worktrees/demo@B/.amof/ticket.json": "",
  "/run/user/1000/bus": "",
  "/tmp/other": "",
  "/dev/null": "",
  "/proc/1": "",
};
const TICKET = "/home/me/shop/worktrees/demo@A";

function machine(platform: "linux" | "darwin"): System {
  const { system } = memoryWorld({ files: FILES, env: { HOME: "/home/me" } });
  return { ...system, env: { ...system.env, platform, home: "/home/me" } };
}

function planned(system: System, paths: Partial<BoxWish["paths"]> = {}) {
  const layout = layoutOf(system.env);
  return planBox(system, layout, {
    directory: TICKET,
    guarded: [`${TICKET}/.amof`],
    curtains: [{ directory: "/home/me/shop/worktrees", keep: ["demo"] }],
    needed: ["/home/me/shop", `${layout.data}/mirrors`],
    network: "none",
    paths: { hide: [], show: [], write: [], ...paths },
  });
}

Deno.test("what amof and other tickets keep stays closed, whatever a person opens", async () => {
  const write = [
    "/home/me/.claude",
    "/home/me/.local/state/amof",
    "/home/me/shop/worktrees/demo@B",
    "/",
    "/home/me/nothing",
  ];
  const { rules, unopened } = await planned(machine("linux"), { write, show: ["/home/me/.ssh"] });
  const access = Object.fromEntries(rules.map((rule) => [rule.path, rule.access]));
  assertEquals(access["/home/me/.claude"], "write");
  assertEquals(access["/home/me/.ssh"], undefined);
  assertEquals(access["/home/me/.netrc"], "none");
  assertEquals(access["/home/me/.local/state/amof"], "none");
  assertEquals(access["/home/me/.local/share/amof"], "none");
  assertEquals(access["/home/me/.local/share/amof/mirrors"], "read");
  assertEquals(access["/home/me/shop/worktrees"], "none");
  assertEquals(access["/home/me/shop/worktrees/demo"], "read");
  assertEquals(access["/home/me/shop/worktrees/demo@B"], undefined);
  assertEquals(access[TICKET], "write");
  assertEquals(access[`${TICKET}/.amof`], "read");
  assertEquals(unopened.map(({ path }) => path), write.slice(1));
});

Deno.test("what programs in the box only read stays so, whatever a person opens", async () => {
  const { rules } = await planned(machine("linux"), { write: ["/home/me/shop"] });
  assertEquals(accessTo(rules, "/home/me/shop/ecosystems/demo"), "read");
});

Deno.test("sockets by which programs act for a person are hidden", async () => {
  const files = { ...FILES, "/home/me/agent.sock": "" };
  const env = { HOME: "/home/me", SSH_AUTH_SOCK: "/home/me/agent.sock" };
  const { system } = memoryWorld({ files, env });
  const { rules } = await planned({
    ...system,
    env: { ...system.env, platform: "linux", home: "/home/me" },
  });
  assertEquals(accessTo(rules, "/home/me/agent.sock"), "none");
});

Deno.test("bubblewrap mounts places before what lies in them, and gives no rights", async () => {
  const plan = await planned(machine("linux"));
  const args = bubblewrapArguments(plan, { own: "/own", session: true }).join(" ");
  const places = [
    "--unshare-net",
    "--new-session",
    "--ro-bind / /",
    "--dev /dev",
    "--ro-bind /own/empty /home/me/.netrc",
    "--tmpfs /home/me/.ssh",
    "--tmpfs /home/me/shop/worktrees",
    `--bind ${TICKET} ${TICKET}`,
    `--ro-bind ${TICKET}/.amof ${TICKET}/.amof`,
    "--proc /proc",
    "--tmpfs /run",
    "--bind /own/own-0 /tmp",
    "--remount-ro /home/me/shop/worktrees",
  ];
  assertEquals(places.map((part) => args.indexOf(part)).filter((at) => at < 0), []);
  assertEquals(places.toSorted((a, b) => args.indexOf(a) - args.indexOf(b)), places);
  for (const part of ["--unshare-user", "--unshare-pid", "--cap-drop ALL", "--die-with-parent"]) {
    assertStringIncludes(args, part);
  }
  const open = { ...plan, network: "full" as const };
  assert(!bubblewrapArguments(open, { own: "/own", session: false }).includes("--unshare-net"));
});

Deno.test("Seatbelt gets the same rules, the closest last, and no way through other programs", async () => {
  const plan = await planned(machine("darwin"), { write: ["/home/me/.claude"] });
  const profile = seatbeltProfile(plan, '/own "x"');
  const lines = profile.split("\n");
  const order = [
    "(deny file-write*)",
    '(deny file-read* file-write* (subpath "/home/me/shop/worktrees"))',
    `(allow file-read* file-write* (subpath "${TICKET}"))`,
    `(deny file-write* (subpath "${TICKET}/.amof"))`,
    '(allow file-read* file-write* (subpath "/own \\"x\\""))',
    "(deny network*)",
    "(deny appleevent-send)",
  ];
  assertEquals(order.filter((line) => !lines.includes(line)), []);
  assertEquals(order.toSorted((a, b) => lines.indexOf(a) - lines.indexOf(b)), order);
  assert(lines.includes('(deny file-read* file-write* (literal "/home/me/.netrc"))'));
  assert(!profile.includes("(remote ip)"));
  assertStringIncludes(seatbeltProfile({ ...plan, network: "full" }, "/own"), "(remote ip)");
});

Deno.test("without a box it is told why", async () => {
  const why = async (programs: Parameters<typeof memoryWorld>[0]) => {
    const { system } = memoryWorld(programs);
    return await findMaker({ ...system, env: { ...system.env, platform: "linux" } }, "none");
  };
  const args = trialArguments("none").join(" ");
  const [withReset, plain] = [
    `bwrap ${args} -- env --default-signal=INT,QUIT uname -m`,
    `bwrap ${args} -- uname -m`,
  ];
  const failed = { exitCode: 1, stderr: "bwrap: Creating new namespace failed: No such process\n" };
  assertEquals(
    await why({ programs: { [withReset]: failed, [plain]: failed } }),
    {
      kind: "none",
      reason:
        "this system, or the container around it, lets programs make no namespaces of their own (bwrap: Creating new namespace failed: No such process)",
    },
  );
  assertEquals(
    await why({ programs: { [withReset]: { exitCode: -1, startError: "not_found" } } }),
    { kind: "none", reason: "bubblewrap is not installed" },
  );
  assertEquals(
    await why({ programs: { [withReset]: { exitCode: 125 }, [plain]: { stdout: "x86_64\n" } } }),
    { kind: "bubblewrap", machine: "x86_64", resets: false },
  );
});

Deno.test("only the very trial, and the very look for hard links, count as reading", () => {
  const args = [...trialArguments("full"), "--", "uname", "-m"];
  assert(isBoxTrial({ command: "bwrap", args }));
  assert(!isBoxTrial({ command: "bwrap", args: [...args.slice(0, -2), "rm", "-m"] }));
  assert(!isBoxTrial({ command: "bwrap", args: ["--bind", "/", "/", ...args] }));
  assert(!isSharedFilesLook({ command: "find", args: ["/x", "-delete"] }));
});

Deno.test("a file is shared when one of its names lies elsewhere", () => {
  const gnu = "8:1 2 /t/a\0" + "8:1 2 /t/b\0" + "8:2 3 /t/c\0" + "8:2 3 /t/d d\n1\0";
  assertEquals(sharedIn(gnu), { count: 1, named: ["/t/c"] });
  assertEquals(sharedIn("8:1 2 /t/a\n8:3 2 /t/b\n8:3 2 /t/c\n"), { count: 1, named: ["/t/a"] });
  assertEquals(sharedIn(""), { count: 0, named: [] });
});
