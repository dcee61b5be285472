/**
 * Kubernetes as an engine, by the real kubectl. `AMOF_TEST_KUBECTL` names that program and `AMOF_TEST_KUBE` a script for
 * Deno that stands in for a cluster: it runs pods as processes of this machine, without its /tmp and /dev/shm, and
 * prints where its configuration is.
 *
 * On a real cluster `AMOF_TEST_KUBE` is a context of kubectl, `AMOF_TEST_IMAGE` an image that its nodes have, with the
 * program under test, and `AMOF_TEST_ADDRESS` an address of this machine that pods reach. What takes a cluster apart is
 * left out there.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join, resolve } from "@std/path";
import { pick, rows, until } from "../support/answers.ts";
import type { World } from "../support/world.ts";
import { agents } from "./agents.ts";
import { ADDRESS, Bell } from "./bell.ts";
import {
  begin,
  EFFECT,
  effects,
  failures,
  type Faults,
  GATE,
  outcomes,
  release,
} from "./failures.ts";
import { answerOf, conformance, setEngine, type Subject, worldWith } from "./suite.ts";

const kubectl = Deno.env.get("AMOF_TEST_KUBECTL");
const script = Deno.env.get("AMOF_TEST_KUBE");
const entry = Deno.env.get("AMOF_ENTRY");
const binary = Deno.env.get("AMOF_BIN");
const ignore = kubectl === undefined || script === undefined ||
  (entry === undefined && binary === undefined);
const isReal = script !== undefined && !script.endsWith(".ts");

const IMAGE = isReal ? Deno.env.get("AMOF_TEST_IMAGE") ?? "" : "amof:test";
const env: Record<string, string> = {};
/** What the image has: the program of this test, where pods and their users can read it. */
let image = "";
const children: Deno.ChildProcess[] = [];

/**
 * What runs before the stand-in. The first process of a pod that is not there yet, or no more, has no number, and a
 * signal to process 0 would end everything in the group of these tests.
 */
const GUARD = `import process from "node:process";
const kill = process.kill.bind(process);
process.kill = (pid, signal) => {
  if (!(pid > 0)) throw new Error("There is no such process");
  return kill(pid, signal);
};
`;

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
    // The runtime may lie where nobody but its owner may look.
    const runtime = join(image, "deno");
    await Deno.copyFile(Deno.execPath(), runtime);
    await Deno.writeTextFile(program, `#!/bin/sh\nexec ${runtime} ${words} ${main} "$@"\n`);
  }
  await new Deno.Command("chmod", { args: ["-R", "a+rX", image] }).output();
  await Deno.chmod(program, 0o755);
}

async function startCluster(): Promise<void> {
  const directory = join(image, "cluster");
  const guard = join(image, "guard.js");
  await Deno.writeTextFile(guard, GUARD);
  const words = [
    "run",
    "--quiet",
    "--allow-all",
    "--preload",
    guard,
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
}

/** Has the program under test find the kubectl that was named. */
async function usesKubectl(): Promise<void> {
  const bin = join(image, "bin");
  await Deno.mkdir(bin);
  await Deno.symlink(resolve(kubectl ?? ""), join(bin, "kubectl"));
  env["PATH"] = `${bin}:${Deno.env.get("PATH") ?? ""}`;
}

/** Serves the remotes of a world to pods, and says so in its manifest. */
async function serve(world: World): Promise<void> {
  const listener = Deno.listen({ hostname: ADDRESS, port: 0 });
  const { port } = listener.addr;
  listener.close();
  // By `git daemon` it would be a child of the one that is ended with the world.
  world.spawn(join(await world.git(world.directory, "--exec-path"), "git-daemon"), [
    "--export-all",
    "--enable=receive-pack",
    "--reuseaddr",
    `--listen=${ADDRESS}`,
    `--port=${port}`,
    `--base-path=${world.remotes}`,
  ]);
  const path = join(world.control, "ecosystems", "demo", "ecosystem.yaml");
  const text = await Deno.readTextFile(path);
  await Deno.writeTextFile(
    path,
    text.replace(/file:\/\/\S*\/(\S+\.git)/g, `git://${ADDRESS}:${port}/$1`),
  );
  await until("the remotes are served", async () => {
    try {
      (await Deno.connect({ hostname: ADDRESS, port })).close();
      return true;
    } catch {
      return false;
    }
  });
}

const subject: Subject = {
  name: "kube",
  settings: () => [
    "kind: kubernetes",
    `image: ${IMAGE}`,
    "parallel: 6",
    ...(isReal
      ? [`context: ${script}`, `namespace: ${Deno.env.get("AMOF_TEST_NAMESPACE") ?? "default"}`]
      : [`program: ${image}/amof`]),
  ],
  env,
  serve,
  sharesPlans: false,
  // Where it works is fixed by the Job but for this.
  oddPlaces: () => [`scratch: "/scratch/a 'b' ü $(HOME)"`],
  // Who asks whether jobs may be changed says nearly the same, before anything is submitted.
  calls: ["create -f", "patch job amof-", "get pods"],
};

if (!ignore) {
  Deno.test.beforeAll(async () => {
    if (isReal) {
      const home = Deno.env.get("HOME") ?? "";
      env["KUBECONFIG"] = Deno.env.get("KUBECONFIG") ?? join(home, ".kube", "config");
      image = await Deno.makeTempDir();
    } else {
      await makeImage();
      await startCluster();
    }
    await usesKubectl();
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
agents(subject, ignore);

/** Has the stand-in break: a node, a pod, or all of it. */
async function fault(fault: string, name = ""): Promise<void> {
  const config = JSON.parse(await Deno.readTextFile(env["KUBECONFIG"] ?? ""));
  const answer = await fetch(new URL("/double/fault", config.clusters[0].cluster.server), {
    method: "POST",
    body: JSON.stringify({ fault, name }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
}

async function kube(...args: string[]): Promise<string> {
  const words = isReal
    ? [`--context=${script}`, `--namespace=${Deno.env.get("AMOF_TEST_NAMESPACE") ?? "default"}`]
    : [];
  const { success, stdout, stderr } = await new Deno.Command(kubectl ?? "", {
    args: [...words, ...args],
    env,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** The pods of a run that run, by the repository they are about, each with its node. */
async function podsOf(run: string, repos: readonly string[]) {
  const words = ["-l", `batch.kubernetes.io/job-name=amof-${run}`, "-o", "json"];
  const list = JSON.parse(await kube("get", "pods", ...words));
  return new Map(
    rows(list, "items").filter((pod) => pick(pod, "status", "phase") === "Running").map((pod) => {
      const labels = "batch.kubernetes.io/job-completion-index";
      const at = Number(pick(pod, "metadata", "labels", labels));
      const name = String(pick(pod, "metadata", "name"));
      return [repos[at] ?? "", { name, node: String(pick(pod, "spec", "nodeName")) }];
    }),
  );
}

const faults: Faults = {
  erase: async (run) => void await kube("delete", "job", `amof-${run}`, "--wait=false"),
  ...(isReal ? {} : { silence: () => fault("down"), answer: () => fault("up") }),
  async forget(run) {
    await until("it is over", async () => {
      const job = JSON.parse(await kube("get", "job", `amof-${run}`, "-o", "json"));
      return pick(job, "status", "conditions", 0) !== undefined;
    });
    await kube("delete", "job", `amof-${run}`, "--cascade=foreground");
  },
  keeps: false,
};

failures(subject, faults, ignore);

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name: `engine kube fails: ${name}`, ignore: ignore || isReal, fn });

test("what ends a pod is told of its repository, where it may not be begun again", async () => {
  const repos = ["a", "b", "c", "d"];
  await using world = await worldWith(subject, repos);
  await setEngine(world, subject, ["attempts: 1"]);
  using bell = new Bell();
  const call = await begin(world, subject, repos, `${bell.line}${GATE}`);
  await until("all have begun", () => bell.heard.length === 4);
  const pods = await podsOf(call.run, repos);
  // Four pods on three nodes: one of them is alone on its node.
  const alone =
    repos.find((one) =>
      repos.filter((other) => pods.get(other)?.node === pods.get(one)?.node).length === 1
    ) ?? "";
  const [evicted = "", full = "", rest = ""] = repos.filter((repo) => repo !== alone);
  await fault("node-lost", pods.get(alone)?.node);
  await fault("evict", pods.get(evicted)?.name);
  await fault("oom", pods.get(full)?.name);
  await release(world, [rest]);
  const ran = await call.ended();
  await fault("node-back", pods.get(alone)?.node);
  const expected: Record<string, string> = {
    [alone]: "node_lost",
    [evicted]: "evicted",
    [full]: "out_of_memory",
    [rest]: "ok",
  };
  assertEquals(outcomes(ran), repos.map((repo) => [repo, expected[repo]]), ran.stdout);
  await release(world, repos);
  const again = await world.amof(["exec", "--retry-failed", call.run, "--json"]);
  assertEquals(
    outcomes(again),
    repos.filter((repo) => repo !== rest).map((repo) => [repo, "ok"]),
    again.stderr,
  );
});

test("pods that are lost, evicted or cut off run again, and each has one effect", async () => {
  const repos = ["a", "b", "c", "d"];
  await using world = await worldWith(subject, repos);
  using bell = new Bell();
  const call = await begin(world, subject, repos, `${bell.line}${GATE}${EFFECT}`);
  await until("all have begun", () => bell.heard.length === 4);
  const pods = await podsOf(call.run, repos);
  const cut = pods.get("a")?.node ?? "";
  const moved = repos.filter((repo) => pods.get(repo)?.node === cut);
  const evicted = repos.find((repo) => pods.get(repo)?.node !== cut) ?? "";
  await fault("node-cut", cut);
  await fault("evict", pods.get(evicted)?.name);
  await until("they have begun elsewhere", () => bell.heard.length === 5 + moved.length);
  // Those on the node that is cut off go on, too.
  await release(world, repos);
  const ran = await call.ended();
  await fault("node-back", cut);
  assertEquals(outcomes(ran), repos.map((repo) => [repo, "ok"]), ran.stdout + ran.stderr);
  for (const repo of repos) assertEquals(await effects(world, repo), 1);
});

test("a log whose beginning was rotated away takes no end of a repository with it", async () => {
  const repos = ["a", "b", "c", "d"];
  await using world = await worldWith(subject, repos);
  // Each tells about 3.5 MB, and 10 MiB of a log are kept.
  const line = 'long=$(head -c 3400 /dev/zero | tr "\\0" x); i=0; ' +
    'while [ $i -lt 1000 ]; do i=$((i+1)); echo "$long"; done';
  const words = ["exec", "--engine", subject.name, "--shards", "1", "--json", "--shell", line];
  const ran = await world.amof(words);
  assertEquals(outcomes(ran), repos.map((repo) => [repo, "ok"]), ran.stderr);
});

test("what shards have done is told of an array that is cancelled", async () => {
  const repos = ["a", "b"];
  await using world = await worldWith(subject, repos);
  await setEngine(world, subject, ["parallel: 1"]);
  // On a busy machine the pods are gone before anybody listens to them.
  await world.script(
    "slow/kubectl",
    `case " $* " in *" logs -f "*) sleep 3 ;; esac\nexec '${resolve(kubectl ?? "")}' "$@"`,
  );
  world.env["PATH"] = `${join(world.directory, "slow")}:${world.env["PATH"]}`;
  using bell = new Bell();
  await release(world, ["a"]);
  const child = world.start([
    ...["exec", "--engine", subject.name, "--shards", "1", "--json", "--shell"],
    `${bell.line}${GATE}`,
  ]);
  const output = child.output();
  await until("the second has begun", () => bell.heard.length === 2);
  child.kill("SIGINT");
  const { stdout } = await output;
  const answer = JSON.parse(new TextDecoder().decode(stdout));
  assertEquals(
    rows(answerOf(answer), "repos").map((row) => [row["name"], row["outcome"]]),
    [["a", "ok"], ["b", "cancelled"]],
  );
});

Deno.test({
  name: "engine kube: the Job of the recipe is one that clusters take",
  ignore,
  async fn() {
    const path = fromFileUrl(
      new URL("../../.github/packaging/engine/job.yaml", import.meta.url),
    );
    const name = "amof-00000000-0000-4000-8000-000000000000";
    await kube("create", "--validate=strict", "-f", path);
    const job = JSON.parse(await kube("get", "job", name, "-o", "json"));
    await kube("delete", "job", name);
    assertEquals(pick(job, "spec", "suspend"), true);
  },
});
