/**
 * Kubernetes as an engine, by the real kubectl. `AMOF_TEST_KUBECTL` names that program and `AMOF_TEST_KUBE` a script for
 * Deno that stands in for a cluster: it runs pods as processes of this machine, without its /tmp and /dev/shm, and
 * prints where its configuration is.
 *
 * @module
 */

import { dirname, join, resolve } from "@std/path";
import { until } from "../support/answers.ts";
import type { World } from "../support/world.ts";
import { conformance, type Subject } from "./suite.ts";

const kubectl = Deno.env.get("AMOF_TEST_KUBECTL");
const script = Deno.env.get("AMOF_TEST_KUBE");
const entry = Deno.env.get("AMOF_ENTRY");
const binary = Deno.env.get("AMOF_BIN");
const ignore = kubectl === undefined || script === undefined ||
  (entry === undefined && binary === undefined);

const IMAGE = "amof:test";
const env: Record<string, string> = {};
/** What the image has: the program of this test, where pods and their users can read it. */
let image = "";
const children: Deno.ChildProcess[] = [];

function start(command: string, args: readonly string[], more = {}): Deno.ChildProcess {
  const child = new Deno.Command(command, {
    args: [...args],
    env: more,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  children.push(child);
  return child;
}

/** A program at a place of its own that starts the program under test. */
async function makeImage(): Promise<void> {
  image = await Deno.makeTempDir({ dir: "/var/tmp", prefix: "amof-image-" });
  await Deno.chmod(image, 0o755);
  const program = join(image, "amof");
  if (binary !== undefined) {
    await Deno.copyFile(binary, program);
  } else {
    const bundle = join(image, "bundle");
    await new Deno.Command("cp", { args: ["-r", dirname(resolve(entry ?? "")), bundle] }).output();
    const words = `run --quiet --allow-all --no-config --no-lock --unstable-worker-options`;
    const main = join(bundle, "main.js");
    await Deno.writeTextFile(program, `#!/bin/sh\nexec ${Deno.execPath()} ${words} ${main} "$@"\n`);
  }
  await new Deno.Command("chmod", { args: ["-R", "a+rX", image] }).output();
  await Deno.chmod(program, 0o755);
}

async function startCluster(): Promise<void> {
  const directory = join(image, "cluster");
  const words = [
    "run",
    "--quiet",
    "--allow-all",
    script ?? "",
    "--dir",
    directory,
    "--image",
    IMAGE,
  ];
  const child = start(Deno.execPath(), words);
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  const told = new TextDecoder().decode(value);
  env["KUBECONFIG"] = /KUBECONFIG='([^']*)'/.exec(told)?.[1] ?? "";
  const bin = join(image, "bin");
  await Deno.mkdir(bin);
  await Deno.symlink(resolve(kubectl ?? ""), join(bin, "kubectl"));
  env["PATH"] = `${bin}:${Deno.env.get("PATH") ?? ""}`;
}

/** Serves the remotes of a world to pods, and says so in its manifest. */
async function serve(world: World): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  // By `git daemon` it would be a child of the one that is ended with the world.
  world.spawn(join(await world.git(world.directory, "--exec-path"), "git-daemon"), [
    "--export-all",
    "--reuseaddr",
    "--listen=127.0.0.1",
    `--port=${port}`,
    `--base-path=${world.remotes}`,
  ]);
  const path = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(
    path,
    text.replace(/file:\/\/\S*\/(\S+\.git)/g, `git://127.0.0.1:${port}/$1`),
  );
  await until("the remotes are served", async () => {
    try {
      (await Deno.connect({ hostname: "127.0.0.1", port })).close();
      return true;
    } catch {
      return false;
    }
  });
}

const subject: Subject = {
  name: "kube",
  settings: () => ["kind: kubernetes", `image: ${IMAGE}`, `program: ${image}/amof`, "parallel: 6"],
  env,
  serve,
  sharesPlans: false,
};

if (!ignore) {
  Deno.test.beforeAll(async () => {
    await makeImage();
    await startCluster();
  });
  Deno.test.afterAll(async () => {
    for (const child of children) {
      child.kill("SIGTERM");
      await child.status;
    }
    await Deno.remove(image, { recursive: true });
  });
}

conformance(subject, ignore);
