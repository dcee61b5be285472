/** The demo of the main job: from clones that are there to a ticket that is merged, taken back, and an agent's push. */

import { join } from "@std/path";
import type { System } from "../../../../base/system/mod.ts";
import { strong } from "../../colors.ts";
import { wrapLine } from "../../wrap.ts";
import { callTool, SERVE } from "./agent.ts";
import { ECOSYSTEM, type Sandbox } from "./sandbox.ts";
import { openShop, REPOS, squash } from "./shop.ts";
import { type DemoStage, ends } from "./stage.ts";

const TICKET = "HI-1";
const MESSAGE = `${TICKET} Say hello`;
const FILE = "README.md";
const [API, WEB] = REPOS;

/** Adds a line to a file of repositories, as an editor would. */
async function edit(
  { files }: System,
  { workspace }: Sandbox,
  repos: readonly string[],
  line: string,
): Promise<void> {
  for (const name of repos) {
    const path = join(workspace, "repos", name, FILE);
    await files.write(path, `${await files.readText(path) ?? ""}${line}\n`);
  }
}

/** How many lines more of what matters are shown where few lines are broken. */
function moreOf({ width }: DemoStage): number {
  return width < 72 ? 0 : 2;
}

/** Clones become an ecosystem, which tells what there is to do. */
async function begin(stage: DemoStage, sandbox: Sandbox): Promise<void> {
  const { control } = sandbox;
  await stage.scene("1 · Clones that you have are taken over");
  const create = ["ecosystem", "create", ECOSYSTEM, "--from", "../code", "--commit", "--yes"];
  await stage.amof(sandbox, create, { cwd: control, most: 1 });
  await stage.amof(sandbox, ["install", "--adopt", "../code", "--yes"], { cwd: control, most: 1 });
  await stage.scene("2 · How they stand: docs is behind");
  await stage.amof(sandbox, ["status"], { most: 7 });
  await stage.amof(sandbox, ["sync"], { most: 1 });
}

/** A ticket, from its branches to the push. */
async function develop(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  await stage.scene("3 · A ticket: one branch in two of them");
  await stage.amof(sandbox, ["ticket", "start", TICKET, "--repo", `${API},${WEB}`], { most: 4 });
  await edit(system, sandbox, [API, WEB], "Hello!");
  stage.say(`You edit ${FILE} in both.`);
  await stage.scene("4 · Shown first, done once you agree");
  await stage.amof(sandbox, ["commit", "-m", MESSAGE], { answers: ["y"], asks: 3, most: 1 });
  const more = moreOf(stage);
  await stage.amof(sandbox, ["push"], { answers: ["y"], asks: 3 + more, most: 1 + more });
}

/** The ticket is merged, ended, and the end taken back. */
async function finish(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  await stage.scene("5 · Others squash-merge it");
  await squash(system, sandbox, {
    repos: [API, WEB],
    branch: `feature/${TICKET}`,
    file: FILE,
    message: `${MESSAGE} (#1)`,
  });
  await stage.amof(sandbox, ["sync"], { most: 1 });
  await stage.amof(sandbox, ["status", "--repo", `${API},${WEB}`], { most: 5 });
  await stage.scene("6 · The ticket ends. Too soon? Undo");
  const end = ["ticket", "end", TICKET, "--cleanup"];
  await stage.amof(sandbox, end, { answers: ["y"], asks: 2, most: 1 });
  await stage.amof(sandbox, ["undo"], { answers: ["y"], asks: 1, most: 1 });
}

/** An agent asks for a push, and a person is asked. */
async function delegate(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  await stage.scene("7 · Over MCP an agent asks, you decide");
  // What comes now goes on top of what was merged.
  await stage.amof(sandbox, ["ticket", "update"], { most: 1 });
  await edit(system, sandbox, [API], "Bye!");
  stage.command(SERVE);
  stage.say("It calls amof_push_ecosystem:");
  const ended = await callTool(system, sandbox, {
    tool: "amof_push_ecosystem",
    args: { commit: true, message: `${TICKET} Say goodbye` },
    signal: stage.signal(),
    async onForm(form) {
      const width = Math.max(stage.width - 2, 1);
      const lines = form.split("\n").flatMap((line) => wrapLine(line, width)).join("\n");
      stage.print(ends(lines, 5 + moreOf(stage), width).map((line) => `│ ${line}`));
      await stage.asks(`│ ${strong("[ Yes ]")} [ No ]`);
      return true;
    },
  });
  stage.print(wrapLine(ended, stage.width));
}

/** Shows the main job. */
export async function showWork(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  stage.say("A small shop, in a sandbox of its own");
  await openShop(system, sandbox);
  await begin(stage, sandbox);
  await develop(system, stage, sandbox);
  await finish(system, stage, sandbox);
  await delegate(system, stage, sandbox);
}
