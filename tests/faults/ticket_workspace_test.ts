// Breaks the program at every change it makes while it starts a ticket in a workspace of its own: the next command
// brings everything back to before, or the ticket is there, whole.

import { join } from "@std/path";
import { DatabaseSync } from "node:sqlite";
import { World } from "../support/world.ts";
import { declare, must, names } from "./broken.ts";

function ticket(world: World): string {
  return join(world.control, "worktrees", "demo@T-1");
}

function database(world: World): DatabaseSync {
  return new DatabaseSync(join(world.env["AMOF_HOME"] ?? "", "state", "amof.db"), {
    timeout: 10_000,
  });
}

/** What is not committed in the case that takes it along. */
let work = "";

declare({
  "ticket start --workspace": {
    args: ["ticket", "start", "T-1", "--workspace"],
    where: "inline",
    async prepare() {
      const world = await World.installed({ repos: ["api", "web"] });
      await Deno.writeTextFile(join(world.clone("api"), ".git", "info", "exclude"), ".env\n");
      await Deno.writeTextFile(join(world.clone("api"), ".env"), "SECRET=1\n");
      await Deno.writeTextFile(join(world.clone("api"), ".worktreeinclude"), ".env\n");
      return world;
    },
    async isDone(world) {
      const clones = ["api", "web"].map((repo) => join(ticket(world), "repos", repo));
      for (const clone of clones) {
        const status = await world.git(clone, "status", "--short", "--branch", "--ignored=no");
        if (status !== "## feature/T-1") return false;
        await world.git(clone, "fsck", "--connectivity-only");
      }
      return await world.exists(join(ticket(world), ".amof", "ticket.json"));
    },
    async reset(world) {
      await Deno.remove(ticket(world), { recursive: true });
      using store = database(world);
      store.exec("DELETE FROM ticket_ports; DELETE FROM borrowers;");
    },
    async look(world) {
      using store = database(world);
      const all = (table: string) => store.prepare(`SELECT * FROM ${table}`).all();
      return [all("ticket_ports"), all("borrowers"), await names(join(world.control, "worktrees"))];
    },
    changes: 32,
    again: 12,
  },
  "ticket start --workspace --carry": {
    args: ["ticket", "start", "T-1", "--workspace", "--carry"],
    where: "inline",
    async prepare() {
      const world = await World.installed({ repos: ["api"] });
      work = await change(world);
      return world;
    },
    // The work is in one place, and only there.
    isDone: async (world) =>
      await workIn(world, join(ticket(world), "repos", "api")) === work &&
      await workIn(world, world.clone("api")) === "",
    async reset(world) {
      await Deno.remove(ticket(world), { recursive: true });
      {
        using store = database(world);
        store.exec(
          "DELETE FROM ticket_ports; DELETE FROM borrowers; DELETE FROM seals WHERE directory LIKE '%demo@%';",
        );
      }
      await change(world);
    },
    look: async (world) => [
      await workIn(world, world.clone("api")),
      await names(join(world.control, "worktrees")),
    ],
    changes: 30,
    again: 12,
  },
  "ticket add": {
    args: ["ticket", "add", "T-1", "--repo", "web,docs"],
    where: "inline",
    async prepare() {
      const world = await World.installed();
      await Deno.writeTextFile(join(world.clone("web"), ".git", "info", "exclude"), ".env\n");
      await Deno.writeTextFile(join(world.clone("web"), ".env"), "SECRET=1\n");
      await Deno.writeTextFile(join(world.clone("web"), ".worktreeinclude"), ".env\n");
      await withApi(world);
      return world;
    },
    async isDone(world) {
      const [web, docs] = ["web", "docs"].map((repo) => join(ticket(world), "repos", repo));
      if (web === undefined || docs === undefined) return false;
      const record = await Deno.readTextFile(join(ticket(world), ".amof", "ticket.json"));
      for (const [clone, branch] of [[web, "feature/T-1"], [docs, "main"]] as const) {
        if (!await world.exists(clone)) return false;
        if (await world.git(clone, "branch", "--show-current") !== branch) return false;
        await world.git(clone, "fsck", "--connectivity-only");
      }
      return record.includes('"repos/web"') && record.includes('"repos/docs"');
    },
    async reset(world) {
      await Deno.remove(ticket(world), { recursive: true });
      {
        using store = database(world);
        store.exec(
          "DELETE FROM ticket_ports; DELETE FROM borrowers; DELETE FROM seals WHERE directory LIKE '%demo@%';",
        );
      }
      await withApi(world);
    },
    async look(world) {
      using store = database(world);
      const borrowers = store.prepare("SELECT directory, mirror FROM borrowers").all();
      const record = await Deno.readTextFile(join(ticket(world), ".amof", "ticket.json"));
      const api = join(ticket(world), "repos", "api");
      return [
        borrowers,
        record.replace(/"created_at": "[^"]*"/, ""),
        await Deno.readTextFile(join(api, "mine.txt")),
        await names(join(ticket(world), "repos")),
      ];
    },
    changes: 10,
  },
});

/** A changed, a staged and an untracked file in the clone of the base workspace; answers what {@linkcode workIn} says of it. */
async function change(world: World): Promise<string> {
  const api = world.clone("api");
  await Deno.writeTextFile(join(api, "README.md"), "changed\n");
  await Deno.writeTextFile(join(api, "new.txt"), "staged\n");
  await world.git(api, "add", "new.txt");
  await Deno.writeTextFile(join(api, "new.txt"), "staged\nand more\n");
  await Deno.writeTextFile(join(api, "wip.txt"), "wip\n");
  return await workIn(world, api);
}

/** What is not committed in a clone, stashes counted in; empty where all is. */
async function workIn(world: World, clone: string): Promise<string> {
  const texts = await Promise.all(
    ["new.txt", "wip.txt"].map((name) => Deno.readTextFile(join(clone, name)).catch(() => "")),
  );
  return [
    await world.git(clone, "diff", "HEAD"),
    await world.git(clone, "diff", "--cached"),
    await world.git(clone, "stash", "list"),
    ...texts,
  ].join("");
}

/** A ticket that works on `api` alone, where something is not committed. */
async function withApi(world: World): Promise<void> {
  await must(world, "ticket", "start", "T-1", "--workspace", "--repo", "api", "--context", "none");
  await Deno.writeTextFile(join(ticket(world), "repos", "api", "mine.txt"), "mine\n");
}
