/**
 * The demo of environments: a script of the control repository is approved, and starts and stops a small web server.
 */

import { join } from "@std/path";
import { Git } from "../../../../git/mod.ts";
import type { System } from "../../../../base/system/mod.ts";
import { writeProvisioners } from "./provisioners.ts";
import { ECOSYSTEM, type Sandbox } from "./sandbox.ts";
import { openShop } from "./shop.ts";
import type { DemoStage } from "./stage.ts";

/** A second ecosystem, of containers only. */
const CONTAINERS = "stage";

const CONTAINERS_MANIFEST = `name: ${CONTAINERS}
description: A web server in a container
provisioner: compose
provisioner_env: [DOCKER_HOST, DOCKER_CONTEXT]
repos: []
`;

/** Whether a program is there and runs. */
async function works({ processes }: System, command: string): Promise<boolean> {
  const { exitCode } = await processes.run({ command, args: ["--version"], timeoutMs: 20_000 });
  return exitCode === 0;
}

/** Gives the ecosystem a provisioner, and the control repository a second ecosystem. */
async function equip({ files, ...system }: System, { control }: Sandbox): Promise<void> {
  const manifest = join(control, "ecosystems", ECOSYSTEM, "ecosystem.yaml");
  await files.write(manifest, `name: ${ECOSYSTEM}\nprovisioner: local\nrepos: []\n`);
  await files.write(
    join(control, "ecosystems", CONTAINERS, "ecosystem.yaml"),
    CONTAINERS_MANIFEST,
  );
  await writeProvisioners(files, control);
  await new Git({ ...system, files }).at(control).commits.all("Add environments");
}

/** Shows how an environment is made and removed, where this machine can. */
export async function showSpin(system: System, stage: DemoStage, sandbox: Sandbox): Promise<void> {
  await openShop(system, sandbox);
  await equip(system, sandbox);
  const spin = (words: readonly string[], answers: readonly string[] = []) =>
    stage.amof(sandbox, ["-e", ECOSYSTEM, "spin", ...words], {
      cwd: sandbox.control,
      most: 10,
      answers,
    });
  await stage.scene("1 · An environment is made by a script of yours");
  await spin(["status"]);
  if (
    !await works(system, "bash") || !(await works(system, "python3") || await works(system, "node"))
  ) {
    stage.say("The rest is left out: the provisioner local needs bash, and python3 or node.");
    return;
  }
  await stage.scene("2 · It runs with your rights: read it, approve it");
  await spin(["trust"], ["y"]);
  await stage.scene("3 · Deploy starts a small web server on this machine");
  await spin(["deploy"], ["y"]);
  try {
    await spin(["status"]);
    await stage.scene("4 · To destroy it takes the name of the ecosystem");
    await spin(["destroy"], [ECOSYSTEM]);
  } catch (thrown) {
    stage.end(["", "The server may still run, until:"], [`amof -e ${ECOSYSTEM} spin destroy`]);
    throw thrown;
  }
  stage.say(`With a container engine, approve the other: amof -e ${CONTAINERS} spin trust`);
  stage.say(`Then start it: amof -e ${CONTAINERS} spin deploy`);
}
