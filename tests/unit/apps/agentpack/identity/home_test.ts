import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { AgentpackError } from "../../../../../src/apps/agentpack/error.ts";
import {
  detectProject,
  homeOf,
  rootProjectId,
  wantsFlush,
} from "../../../../../src/apps/agentpack/identity.ts";
import { memoryWorld } from "../../../../support/memory.ts";
import { PackWorld } from "../../../../support/pack_world.ts";

function env(values: Record<string, string> = {}) {
  return memoryWorld({ env: values, cwd: "/space/here" }).system.env;
}

Deno.test("homeOf() puts everything below ~/.agentpack by default", () => {
  const home = homeOf(env());
  assertEquals(home.root, "/home/tester/.agentpack");
  assertEquals(home.config, "/home/tester/.agentpack/repo/agentpack.yaml");
  assertEquals(home.lockfile, "/home/tester/.agentpack/repo/agentpack.lock.json");
  assertEquals(home.checkouts, "/home/tester/.agentpack/cache/git");
  assertEquals(home.snapshots, "/home/tester/.agentpack/state/snapshots");
  assertEquals(home.events, "/home/tester/.agentpack/state/logs/events.jsonl");
  assertEquals(home.lock, "/home/tester/.agentpack/state/lock");
});

Deno.test("homeOf() expands only ~/ and makes relative homes absolute", () => {
  const root = (value: string) => homeOf(env({ AGENTPACK_HOME: value })).root;
  assertEquals(root(""), "/home/tester/.agentpack");
  assertEquals(root("~/x"), "/home/tester/x");
  assertEquals(root("~other/x"), "/space/here/~other/x");
  assertEquals(root("~"), "/space/here/~");
  assertEquals(root("x"), "/space/here/x");
});

Deno.test("homeOf() lets a given repo move only what is read", () => {
  const home = homeOf(env({ AGENTPACK_HOME: "/h" }), "../repo");
  assertEquals(home.config, "/space/repo/agentpack.yaml");
  assertEquals(home.checkouts, "/h/cache/git");
  assertEquals(home.snapshots, "/h/state/snapshots");
});

Deno.test("wantsFlush() knows the words for yes", () => {
  for (const word of ["1", " True ", "YES", "y", "on"]) {
    assertEquals(wantsFlush(env({ AGENTPACK_FSYNC: word })), true, word);
  }
  for (const word of ["", "0", "off", "maybe"]) {
    assertEquals(wantsFlush(env({ AGENTPACK_FSYNC: word })), false, word);
  }
});

Deno.test("detectProject() finds the repository above and its origin", async () => {
  await using world = await PackWorld.inMemory();
  await world.write(join(world.project, "deep/down/x.md"), "x");
  const project = await detectProject(world.packIn(join(world.project, "deep/down")));
  assertEquals(project, {
    root: world.project,
    origin: "https://github.com/example/example.git",
    id: "ae2752b5775071e2",
    alternativeId: null,
    noProject: null,
  });
});

Deno.test("detectProject() takes the directory itself where there is no repository", async () => {
  await using world = await PackWorld.inMemory();
  const project = await detectProject(world.pack(), world.home);
  assertEquals(project.root, world.home);
  assertEquals(project.origin, null);
  assertEquals(project.id, rootProjectId(world.home));
});

Deno.test("detectProject() takes no repository that git refuses for none, and says how to trust it", async () => {
  await using world = await PackWorld.make();
  const { run } = world.system.processes;
  const distrusting = {
    ...world.system,
    processes: {
      ...world.system.processes,
      run: (request: Parameters<typeof run>[0]) =>
        run({ ...request, env: { ...request.env, GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" } }),
    },
  };
  const error = await assertRejects(
    () => detectProject(world.pack(distrusting), world.project),
    AgentpackError,
  );
  assertStringIncludes(error.message, `git does not trust ${world.project}`);
  assertStringIncludes(error.message, "git config --global --add safe.directory ");
});

Deno.test("detectProject() without an origin hashes the root with links resolved", async () => {
  await using world = await PackWorld.make();
  await world.git(world.project, "remote", "remove", "origin");
  const link = join(world.directory, "link");
  await world.files.symlink(world.project, link);
  assertEquals((await detectProject(world.packIn(link))).id, rootProjectId(world.project));
});
