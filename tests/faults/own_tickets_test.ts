// Breaks the program at every change it makes to the workspaces of tickets, and checks that the next command brings
// everything back to before or forward to after, with nothing lost.

import { join } from "@std/path";
import { makeTicket } from "../support/ticket_workspace.ts";
import { commitIn, ownClone } from "../support/own_ticket.ts";
import { World } from "../support/world.ts";
import { declare, names } from "./broken.ts";

/** A ticket with pushed work in `api`, and an ignored file in `web`. */
async function atWork(world: World): Promise<void> {
  await makeTicket(world, "T-1", { repos: ["api", "web"] });
  const api = ownClone(world, "T-1", "api");
  await commitIn(api, world);
  await world.git(api, "push", "--quiet", "--force", "-u", "origin", "feature/T-1");
  const exclude = join(ownClone(world, "T-1", "web"), ".git", "info", "exclude");
  await Deno.mkdir(join(exclude, ".."), { recursive: true });
  await Deno.writeTextFile(exclude, "*.log\n");
  await Deno.writeTextFile(join(ownClone(world, "T-1", "web"), "debug.log"), "log\n");
}

/** What the workspace of the ticket holds. */
async function held(world: World): Promise<unknown> {
  const clones = ["api", "web"].map((repo) => ownClone(world, "T-1", repo));
  return await Promise.all(clones.map(async (clone) =>
    await world.exists(join(clone, ".git"))
      ? [
        await world.git(clone, "rev-parse", "HEAD"),
        await world.git(clone, "status", "--porcelain", "--ignored"),
      ]
      : null
  ));
}

declare({
  "ticket end with a workspace": {
    args: ["ticket", "end", "T-1", "--yes"],
    where: "inline",
    async prepare() {
      const world = await World.installed({ repos: ["api", "web"] });
      await atWork(world);
      return world;
    },
    isDone: async (world) => (await names(join(world.control, "worktrees"))).join() === "demo",
    reset: atWork,
    changes: 3,
    pushes: true,
    look: held,
  },
});
