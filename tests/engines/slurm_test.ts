/**
 * A real Slurm cluster as an engine. `AMOF_TEST_SLURM` names a program that makes one: `up DIRECTORY NODES` prints what
 * to export, `down DIRECTORY` ends it.
 *
 * @module
 */

import { join } from "@std/path";
import { newDirectory } from "../support/place.ts";
import { conformance, type Subject } from "./suite.ts";

const maker = Deno.env.get("AMOF_TEST_SLURM");
const env: Record<string, string> = {};

const subject: Subject = {
  name: "cluster",
  settings: (world) => ["kind: slurm", `directory: ${world.directory}/shared`, "parallel: 6"],
  env,
  sharesPlans: true,
};

if (maker !== undefined) {
  const directory = join(newDirectory(), "cluster");
  const call = async (...args: string[]) => {
    const { success, stdout, stderr } = await new Deno.Command(maker, { args }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  };
  Deno.test.beforeAll(async () => {
    const told = await call("up", directory, "3");
    env["SLURM_CONF"] = /SLURM_CONF='([^']*)'/.exec(told)?.[1] ?? "";
  });
  Deno.test.afterAll(async () => void await call("down", directory));
}

conformance(subject, maker === undefined);
