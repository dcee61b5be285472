/**
 * What is too much for an engine, and what is too little: both are said before anything is submitted (ENGINE-11).
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { World } from "../support/world.ts";
import { worldWith } from "./suite.ts";

const ignore = Deno.build.os === "windows";

/** A cluster that may be used, as far as a preview asks. */
const KUBECTL = `#!/bin/sh
case "$*" in
*version*) echo '{"serverVersion":{"minor":"34","gitVersion":"v1.34.0"}}' ;;
*) echo yes ;;
esac
`;

/** A world with an engine "kube" of which only previews work, over so many repositories that nobody has. */
async function clusterWorld(count: number): Promise<World> {
  const world = await World.make();
  await world.makeControl();
  const repos = Array.from({ length: count }, (_, at) => {
    // Nothing that could be compressed, in those that begin alike.
    const odd = Array.from({ length: 5 }, () => crypto.randomUUID()).join("/");
    const path = String(at).startsWith("1") ? `${odd}/${at}` : at;
    return `  - {name: r${at}, url: "file:///srv/${path}.git"}`;
  });
  await world.write(
    "control/ecosystems/demo/ecosystem.yaml",
    `name: demo\ndescription: Many\nrepos:\n${repos.join("\n")}\n`,
  );
  await withCluster(world);
  return world;
}

async function withCluster(world: World): Promise<void> {
  await world.script("bin/kubectl", KUBECTL);
  world.env["PATH"] = `${world.directory}/bin:${world.env["PATH"]}`;
  await world.write(
    "state/config/config.yaml",
    "engines:\n  kube: {kind: kubernetes, image: amof}\n",
  );
}

Deno.test({
  name: "what an engine does not take is refused with what to do instead",
  ignore,
  async fn() {
    await using world = await clusterWorld(20_001);
    const refusal = async (...words: string[]) => {
      const ran = await world.amof(["exec", "--dry-run", ...words, "--", "true"]);
      assertEquals(ran.code, 2, ran.stdout);
      return ran.stderr;
    };
    const many = await refusal("--engine", "local");
    assertStringIncludes(many, "at most 20000 repositories, and these are 20001");
    assertStringIncludes(many, "--tag");
    const long = await refusal("--engine", "kube", "--repo", "r1*");
    assert(/the plan of 11\d\d\d repositories has \d\.\d MiB/.test(long), long);
    assertStringIncludes(long, 'engine "kube" takes 1.0 MiB');
    assertStringIncludes(await refusal("--engine", "local", "--shards", "1001"), "1000");
    // A person is shown some lines of thousands.
    const fits = await world.amof([
      ...["exec", "--dry-run", "--engine", "kube", "--repo", "r19*", "--", "true"],
    ]);
    assertEquals(fits.code, 0, fits.stderr);
    assertEquals(/… and (\d+) more/.exec(fits.stdout)?.[1], "1081");
    assert(!await world.exists("state/state/engine"));
  },
});

Deno.test({
  name:
    "work that this machine does in two minutes is told to stay here, with what that is known from",
  ignore,
  async fn() {
    await using world = await worldWith(
      {
        name: "here",
        settings: () => ["kind: local"],
        env: {},
        sharesPlans: true,
        calls: ["local/plan", "shard run", "local/0.json"],
      },
      ["a", "b"],
    );
    await withCluster(world);
    const plan = async (engine: string, ...program: string[]) =>
      (await world.amof(["exec", "--dry-run", "--engine", engine, "--", ...program])).stdout;
    assert(!(await plan("kube", "ls", "-a")).includes("Better here"));
    const ran = await world.amof(["exec", "--json", "--engine", "local", "--", "ls", "-a"]);
    const run = String(ran.json()["run_id"]).slice(0, 8);
    const told = (await plan("kube", "ls", "-a")).replaceAll(/\s+/g, " ");
    assertStringIncludes(told, "Better here: this machine takes about ");
    assertStringIncludes(told, `each in run ${run}`);
    assertStringIncludes(told, "an engine is worth it from 2m");
    assert(!(await plan("local", "ls", "-a")).includes("Better here"));
    assert(!(await plan("kube", "ls", "-l")).includes("Better here"));
    for (const command of ["status", "sync"]) {
      const far = await world.amof([command, "--engine", "kube"]);
      assertEquals(far.code, 2, `${command} went to an engine`);
    }
  },
});
