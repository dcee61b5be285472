/**
 * The modes ask and plan, and every outcome of a confirmation, for every command that can change something,
 * from outside.
 *
 * A new mutating command fails here until it has an entry in the table.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { pick } from "../support/answers.ts";
import { commandLine } from "../support/both_doors.ts";
import { approveExec, execHash } from "../support/exec.ts";
import { tryOutcomes } from "../support/outcomes.ts";
import { beginTicket, forgeWorld } from "../support/forge/world.ts";
import { borrowTicket } from "../support/mirrors.ts";
import { approve, hashOf, worldWithProvisioner } from "../support/provisioner.ts";
import { prepareRelease, releaseWorld, trainWorld } from "../support/release_world.ts";
import { makeTicket } from "../support/ticket_workspace.ts";
import { worldWithStockTrim } from "../support/stocktrim.ts";
import { World } from "../support/world.ts";
import { Hold, killInstall } from "./hold.ts";
import { COMMANDS } from "../support/loaded.ts";

/** Hooks are shell scripts. */
const POSIX = Deno.build.os !== "windows";

/** A world in which a command would change something, and the words that call it. */
interface Scene extends AsyncDisposable {
  readonly world: World;
  readonly args: readonly string[];
}

function scene(world: World, args: readonly string[], hold?: AsyncDisposable): Scene {
  return {
    world,
    args,
    async [Symbol.asyncDispose]() {
      await hold?.[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

async function withTicket(args: readonly string[]): Promise<Scene> {
  const world = await World.like("with a ticket", async (world) => {
    await world.makeInstalled({ repos: ["api"] });
    await succeed(world, ["ticket", "start", "T-1"]);
  });
  return scene(world, args);
}

async function succeed(world: World, args: readonly string[]): Promise<void> {
  const ran = await world.amof(args);
  assertEquals(ran.code, 0, ran.stderr);
}

/** What campaigns run here. */
const CAMPAIGN = ["--shell", "touch new"];

/** A world with a campaign that has a commit. */
async function withCampaign(args: readonly string[]): Promise<Scene> {
  const world = await World.like("with a campaign", async (world) => {
    await world.makeControl();
    await world.addEcosystem("demo", { repos: ["api"] });
    await succeed(world, ["campaign", "start", "tidy", "--shell", "touch new"]);
  });
  // What is kept of campaigns stands in files.
  const kept = join(world.env["AMOF_HOME"] ?? "", "state", "campaigns");
  world.outside.push(() =>
    [...Deno.readDirSync(kept)].map(({ name }) =>
      Deno.readTextFileSync(join(kept, name, "campaign.json"))
    ).join("\n")
  );
  return scene(world, args);
}

/** A world with a server that runs. */
async function started(): Promise<World> {
  const world = await World.withEcosystem({ repos: [] });
  await succeed(world, ["server", "start", "--port", "0"]);
  return world;
}

/** A call about the server, which is stopped in the end. */
function withServer(world: World, verb: string): Scene {
  return scene(world, ["server", verb, ...(verb === "start" ? ["--port", "0"] : [])], {
    [Symbol.asyncDispose]: () => succeed(world, ["server", "stop"]),
  });
}

function withTasks(): Promise<World> {
  return World.installed({ repos: ["api"], extra: "tasks: {touch: {run: [touch, new]}}" });
}

function released(): Promise<World> {
  return World.like("released", async (world) => {
    await prepareRelease(world);
    await succeed(world, ["release", "patch", "--alpha", "--yes", "--no-push"]);
  });
}

function provisioned(): Promise<World> {
  return worldWithProvisioner('touch "$AMOF_ROOT/$1"');
}

async function withProvisioner(args: readonly string[]): Promise<Scene> {
  const world = await provisioned();
  await approve(world);
  return scene(world, args);
}

/** A world with the stand-in of StockTrim, and words about it. */
async function atStockTrim(...args: readonly string[]): Promise<Scene> {
  const { world, shop } = await worldWithStockTrim();
  return scene(world, ["stocktrim", ...args], shop);
}

/** A world at a forge, whose pull requests count as a part of it. */
async function withPullRequests(args: readonly string[]): Promise<Scene> {
  const { world, forge } = await forgeWorld("github", ["api"]);
  world.outside.push(() => JSON.stringify(forge.pulls));
  return scene(world, args);
}

/** The same with an open pull request of a ticket. */
async function withOpened(args: readonly string[]): Promise<Scene> {
  const found = await withPullRequests(args);
  await beginTicket(found.world, "P-1", ["api"]);
  await succeed(found.world, ["pr", "open", "--yes"]);
  return found;
}

/** A mirror that nobody borrows from, which counts as a part of the world. */
async function withIdleMirror(args: readonly string[]): Promise<Scene> {
  const world = await World.installed({ repos: ["api"], extra: "mirrors: true\n" });
  const mirrors = join(world.env["AMOF_HOME"] ?? "", "share", "mirrors", "local");
  const tell = (directory: string): string[] =>
    [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory }) => {
      const path = join(directory, name);
      if (isDirectory) return [`${path}/`, ...tell(path)];
      return name === "amof-fetched" ? `${path} ${Deno.readTextFileSync(path)}` : [];
    });
  world.outside.push(() => tell(mirrors).sort().join("\n"));
  return scene(world, args);
}

/** For every mutating command a call that would do something. */
const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  async amof_create_ecosystem() {
    const world = await World.withEcosystem({ repos: [] });
    return scene(world, ["ecosystem", "create", "shop", "--repo=a=https://host/a.git", "--commit"]);
  },
  async amof_install_ecosystem() {
    return scene(await World.withEcosystem({ repos: ["api"] }), ["install", "--push"]);
  },
  async amof_lock_ecosystem() {
    return scene(await World.installed({ repos: ["api"] }), ["lock"]);
  },
  async amof_sync_ecosystem() {
    const world = await World.like("to sync", async (world) => {
      await world.makeInstalled({ repos: ["api", "web"] });
      await Deno.remove(world.clone("api"), { recursive: true });
      const seed = join(world.directory, "seed", "web");
      await world.git(seed, "commit", "--quiet", "--allow-empty", "-m", "News");
      await world.git(seed, "push", "--quiet", join(world.remotes, "web.git"), "main");
    });
    return scene(world, ["sync"]);
  },
  async amof_push_ecosystem() {
    const world = await World.like("to push", async (world) => {
      await world.makeInstalled({ repos: ["api", "web"] });
      await world.commitOnFeature("api");
    });
    await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
    return scene(world, ["push", "--commit", "-m", "Work"]);
  },
  async amof_commit_ecosystem() {
    const world = await World.installed({ repos: ["api"] });
    await world.git(world.clone("api"), "switch", "--quiet", "-c", "feature/T-1");
    await Deno.writeTextFile(join(world.clone("api"), "new.txt"), "new\n");
    return scene(world, ["commit", "-m", "Work"]);
  },
  async amof_add_repo() {
    const world = await World.installed({ repos: ["api"] });
    await world.addRemote("web");
    return scene(world, ["repo", "add", "web", world.url("web")]);
  },
  async amof_remove_repo() {
    return scene(await World.installed({ repos: ["api", "web"] }), ["repo", "remove", "web"]);
  },
  async amof_rename_repo() {
    return scene(await World.installed({ repos: ["api"] }), ["repo", "rename", "api", "core"]);
  },
  async amof_archive_ecosystem() {
    const world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    return scene(world, ["archive"]);
  },
  async amof_restore_archive() {
    const world = await World.like("archived", async (world) => {
      await world.makeInstalled({ repos: ["api"] });
      await succeed(world, ["archive", "--yes"]);
    });
    return scene(world, ["archive", "restore"]);
  },
  async amof_undo() {
    const world = await withTasks();
    await succeed(world, ["run", "touch"]);
    return scene(world, ["undo"]);
  },
  async amof_discard_ecosystem() {
    return scene(await World.installed({ repos: ["api"] }), ["discard"]);
  },
  async amof_ticket_start() {
    return scene(await World.installed({ repos: ["api"] }), ["ticket", "start", "T-1"]);
  },
  amof_ticket_switch: () => withTicket(["ticket", "switch", "main"]),
  async amof_ticket_update() {
    const { world } = await withTicket([]);
    const seed = join(world.directory, "seed", "api");
    await world.git(seed, "commit", "--quiet", "--allow-empty", "-m", "News");
    await world.git(seed, "push", "--quiet", join(world.remotes, "api.git"), "main");
    return scene(world, ["ticket", "update"]);
  },
  async amof_ticket_try() {
    const { world } = await withTicket([]);
    const args = ["--shell", `touch '${join(world.control, "tried")}'`];
    await approveExec(world, args);
    return scene(world, ["ticket", "try", "T-1", ...args]);
  },
  async amof_ticket_add() {
    const world = await World.like("with a ticket in one of two repositories", async (world) => {
      await world.makeInstalled({ repos: ["api", "web"] });
      await world.amof(["ticket", "start", "T-1", "--workspace", "--repo", "api"]);
    });
    return scene(world, ["ticket", "add", "T-1", "--repo", "web"]);
  },
  amof_ticket_move: () => withTicket(["ticket", "move", "T-1", "--workspace"]),
  amof_ticket_end: () => withTicket(["ticket", "end", "T-1", "--cleanup"]),
  amof_pr_update: () => withOpened(["pr", "update", "--title", "Another"]),
  amof_pr_land: () => withOpened(["pr", "land"]),
  async amof_pr_revert() {
    const found = await withOpened(["pr", "revert"]);
    await succeed(found.world, ["pr", "land", "--confirm-name", "P-1"]);
    return found;
  },
  amof_pr_close: () => withOpened(["pr", "close"]),
  async amof_pr_open() {
    const found = await withPullRequests(["pr", "open"]);
    await beginTicket(found.world, "P-1", ["api"]);
    return found;
  },
  amof_spin_deploy: () => withProvisioner(["spin", "deploy"]),
  amof_spin_destroy: () => withProvisioner(["spin", "destroy"]),
  async amof_spin_trust() {
    const world = await provisioned();
    return scene(world, ["spin", "trust", "--hash", await hashOf(world)]);
  },
  async amof_exec() {
    const world = await withTasks();
    const args = ["--shell", "touch new"];
    await approveExec(world, args);
    return scene(world, ["exec", ...args]);
  },
  async amof_start_campaign() {
    const world = await World.withEcosystem({ repos: ["api"] });
    await approveExec(world, ["--engine", "local", ...CAMPAIGN]);
    return scene(world, ["campaign", "start", "tidy", ...CAMPAIGN]);
  },
  amof_approve_campaign: () => withCampaign(["campaign", "approve", "tidy", "--all"]),
  async amof_push_campaign() {
    const found = await withCampaign(["campaign", "push", "tidy"]);
    await succeed(found.world, ["campaign", "approve", "tidy", "--all", "--yes"]);
    return found;
  },
  async amof_update_campaign() {
    const found = await withCampaign(["campaign", "update", "tidy"]);
    const work = join(found.world.directory, "moves");
    await found.world.git(
      found.world.directory,
      "clone",
      "-q",
      join(found.world.remotes, "api.git"),
      work,
    );
    await found.world.git(work, "commit", "-q", "--allow-empty", "-m", "More");
    await found.world.git(work, "push", "-q", "origin", "HEAD");
    await approveExec(found.world, ["--engine", "local", ...CAMPAIGN]);
    return found;
  },
  amof_close_campaign: () => withCampaign(["campaign", "close", "tidy"]),
  async amof_agent_run() {
    const world = await World.like("with the workspace of a ticket", async (world) => {
      await world.makeInstalled({ repos: ["api"] });
      await makeTicket(world, "T-1");
    });
    world.env["AMOF_TICKET"] = "T-1";
    return scene(world, ["agent", "run", "--no-box", "--shell", "touch ran"]);
  },
  amof_run_task: async () => scene(await withTasks(), ["run", "touch"]),
  async amof_exec_trust() {
    const world = await withTasks();
    return scene(world, ["exec", "trust", "touch", "--hash", await execHash(world, ["touch"])]);
  },
  async amof_ticket_detach() {
    const world = await World.like("with a ticket that borrows", async (world) => {
      await world.makeInstalled({ repos: ["api"] });
      await borrowTicket(world, "T-1");
    });
    return scene(world, ["ticket", "detach", "T-1"]);
  },
  amof_fetch_mirrors: () => withIdleMirror(["mirror", "fetch"]),
  amof_prune_mirrors: () => withIdleMirror(["mirror", "prune"]),
  async amof_trust_repo() {
    const world = await World.installed({ repos: ["api"] });
    await world.git(world.clone("api"), "config", "core.sshCommand", "ssh -v");
    const seen = await world.amof(["repo", "trust", "--dry-run", "--json"]);
    return scene(world, ["repo", "trust", "--hash", String(pick(seen.json(), "preview", "hash"))]);
  },
  async amof_create_journal() {
    return scene(await World.withEcosystem({ repos: [] }), ["journal", "add", "A note"]);
  },
  amof_server_start: async () => withServer(await World.withEcosystem({ repos: [] }), "start"),
  async amof_server_stop() {
    return withServer(await started(), "stop");
  },
  async amof_server_restart() {
    return withServer(await started(), "restart");
  },
  async amof_prune_runs() {
    const world = await World.installed({ repos: [] });
    return scene(world, ["runs", "prune", "--keep", "0", "--days", "0"]);
  },
  async amof_mcp_install() {
    return scene(await World.withEcosystem({ repos: [] }), [
      "mcp",
      "install",
      "cursor",
      "--scope",
      "project",
    ]);
  },
  async amof_doctor() {
    const world = await World.withEcosystem({ repos: ["api", "web"] });
    await killInstall(world);
    return scene(world, ["doctor", "--repair"]);
  },
  async amof_release_bump() {
    return scene(await releaseWorld(), ["release", "bump", "patch", "--alpha"]);
  },
  async amof_release_promote() {
    const world = await released();
    return scene(world, ["release", "promote", "beta"]);
  },
  async amof_release_train_bump() {
    return scene(await trainWorld(["api", "web"]), [
      "release",
      "train",
      "bump",
      "minor",
      "--alpha",
    ]);
  },
  async amof_release_train_promote() {
    const world = await trainWorld(["api"]);
    const made = await world.amof(["release", "train", "bump", "minor", "--alpha", "--yes"]);
    assertEquals(made.code, 0, made.stderr);
    return scene(world, ["release", "train", "promote", "rc"]);
  },
  async amof_release_init() {
    const world = await releaseWorld();
    await world.git(world.control, "tag", "--delete", "v0.1.0");
    await world.git(world.control, "push", "--quiet", "origin", ":v0.1.0");
    return scene(world, ["release", "init", "1.0.0"]);
  },
  async amof_release_push() {
    const world = await released();
    return scene(world, ["release", "push"]);
  },
  async amof_cancel_run() {
    const world = await World.installed({ repos: ["api"] });
    await world.commitOnFeature("api");
    const hold = await Hold.on(world, "api");
    return scene(world, ["runs", "cancel", await hold.push()], hold);
  },
  stocktrim_product_save: () => atStockTrim("product", "save", "SKU-001", "--update", "--cost=9.5"),
  stocktrim_product_delete: () => atStockTrim("product", "delete", "SKU-002"),
  stocktrim_supplier_save: () =>
    atStockTrim("supplier", "save", "NEW", "--name=New", "--products=SKU-001=N-1"),
  stocktrim_supplier_delete: () => atStockTrim("supplier", "delete", "BEAN"),
  stocktrim_location_create: () => atStockTrim("location", "create", "EAST", "East"),
  stocktrim_inventory_set: () => atStockTrim("inventory", "set", "SKU-001", "--on-hand=3"),
  stocktrim_purchase_order_create: () =>
    atStockTrim("purchase-order", "create", "BEAN", "SKU-001=2@4.5", "--reference=NEW-1"),
  stocktrim_purchase_order_delete: () => atStockTrim("purchase-order", "delete", "PO-5"),
  stocktrim_purchase_orders_generate: () =>
    atStockTrim("purchase-order", "generate", "--supplier=BEAN"),
  stocktrim_sales_order_create: () =>
    atStockTrim("sales-order", "create", "SKU-001", "2", "--date=2026-01-05"),
  stocktrim_sales_orders_delete: () => atStockTrim("sales-order", "delete", "SKU-001"),
  stocktrim_forecast_run: () => atStockTrim("forecast", "run", "--wait-seconds=0"),
};

/** Commands whose scene needs shell scripts and signals. */
const NEEDS_SHELL = [
  "amof_cancel_run",
  "amof_doctor",
  "amof_spin_deploy",
  "amof_spin_destroy",
];

Deno.test("amof has a scene for every command that changes something, and for no other", () => {
  const mutating = COMMANDS.filter((command) => command.kind === "mutation");
  assertEquals(
    Object.keys(SCENES).toSorted(),
    mutating.map((command) => command.name).toSorted(),
  );
});

/** Explains in ask, previews in plan, and changes nothing in either. */
async function tryModes(world: World, args: readonly string[]): Promise<void> {
  const before = await world.fingerprint();

  const asked = await world.amof([...args, "--yes", "--mode", "ask", "--json"]);
  assertEquals(asked.code, 4);
  assertEquals(pick(asked.json(), "error"), "mode_insufficient");
  assertEquals(pick(asked.json(), "details", "mode_required"), "execute");
  const explanation = pick(asked.json(), "explanation");
  assertEquals(pick(explanation, "blocked_by"), undefined, asked.stdout);
  assertMatch(String(pick(explanation, "summary")), /^Would /);
  assertNotEquals(pick(explanation, "effects"), []);
  assertNotEquals(pick(explanation, "alternatives"), []);
  assertEquals(typeof pick(explanation, "current_state"), "string");
  assertEquals(await world.changesSince(before), []);

  // In this process: the request for consent below shows the same preview through the program itself.
  const here = (words: readonly string[]) => commandLine({ world, cwd: world.control }, words);
  const planned = await here([...args, "--yes", "--mode", "plan", "--json"]);
  assertEquals(planned.code, 0, planned.stdout);
  const plan: unknown = JSON.parse(planned.stdout);
  assertMatch(String(pick(plan, "summary")), /^\[plan\] Would /);
  assertEquals(pick(plan, "would_execute"), false);
  assertEquals(pick(plan, "_context", "mode"), "plan");
  assertEquals(typeof pick(plan, "preview"), "object");
  assertNotEquals(pick(plan, "effects"), []);
  const dry = await here(["--dry-run", ...args, "--yes"]);
  assertEquals(dry.code, 0);
  assertStringIncludes(dry.stdout, "[plan] Would ");
  assertEquals(await world.changesSince(before), []);
}

for (const command of COMMANDS) {
  const prepare = SCENES[command.name];
  if (command.kind !== "mutation" || prepare === undefined) continue;
  const words = `amof ${command.path.join(" ")}`;
  const ignore = !POSIX && NEEDS_SHELL.includes(command.name);

  Deno.test({
    name: `${words} explains in ask, previews in plan, and acts only on consent`,
    ignore, // shell scripts and signals
    async fn(t) {
      await using stage = await prepare();
      const { world, args } = stage;
      await t.step("ask and plan change nothing", () => tryModes(world, args));
      // What follows acts in the end, so the world is shared up to there.
      await t.step(
        "every outcome but consent changes nothing",
        () => tryOutcomes(world, command, args),
      );
    },
  });
}

Deno.test("amof push in ask tells what stands in the way", async () => {
  await using world = await World.withEcosystem({ repos: ["api"] });
  const ran = await world.amof(["push", "--mode", "ask", "--json"]);
  assertEquals(ran.code, 4);
  assertEquals(pick(ran.json(), "explanation", "blocked_by"), "workspace_not_installed");
});

Deno.test("amof takes the lower of --mode ask and --dry-run", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const before = await world.fingerprint();
  const create = ["ecosystem", "create", "shop"];
  assertEquals((await world.amof([...create, "--dry-run", "--mode", "ask"])).code, 4);
  const both = await world.amof([...create, "--dry-run", "--mode", "execute", "--json"]);
  assertEquals(both.code, 0);
  assertEquals(pick(both.json(), "_context", "mode"), "plan");
  assertEquals(await world.changesSince(before), []);
});

Deno.test("amof reads in every mode", async () => {
  await using world = await World.installed({ repos: [] });
  for (const mode of ["ask", "plan", "execute"]) {
    const ran = await world.amof(["status", "--mode", mode, "--json"]);
    assertEquals(ran.code, 0);
    assertEquals(pick(ran.json(), "_context", "mode"), mode);
  }
});

Deno.test("amof acts when no mode is given: a person typed the command", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  const ran = await world.amof(["ecosystem", "create", "shop", "--json"]);
  assertEquals(pick(ran.json(), "_context", "mode"), "execute");
  assert(await world.exists("control/ecosystems/shop/ecosystem.yaml"));
});

Deno.test("amof push knows no way around the preview: undeclared arguments are refused", async () => {
  await using world = await World.installed({ repos: ["api"] });
  await world.commitOnFeature("api");
  const before = await world.fingerprint();
  for (const flag of ["--force", "--_dry_run=false", "--confirm", "--confirmation-token=x"]) {
    const ran = await world.amof(["push", flag, "--json"]);
    assertEquals(ran.code, 2, flag);
  }
  assertEquals(await world.changesSince(before), []);
});
