/** A Kubernetes cluster as an engine: one indexed Job, and the plan beside it (ENGINE-9). */

import { defined, type Fields, fieldsOf, jsonIn, memberAt } from "../../base/object.ts";
import type { System } from "../../base/system/mod.ts";
import {
  type Cancelled,
  type Collector,
  type Engine,
  type Handle,
  isFinal,
  type Limits,
  otherPlan,
  type Profile,
  type ShardView,
  type Submission,
} from "../port.ts";
import { linesIn, type ShardLine } from "../shard/line.ts";
import { jobObject, nameOf, planLabel, planObject, type Pod, podsOf, viewsOf } from "./manifest.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { linesOfSummary } from "../shard/ends.ts";
import { AmofError } from "../../base/error.ts";

// Calls the user's own `kubectl`, with nothing of the caller's environment but what it needs (ENGINE-9).

/** A request may take so long, and what waits for deletions somewhat longer. */
const REQUEST_S = 30;

const TIMEOUT_MS = 150_000;

const MOST_OUTPUT = 64 * 1024 * 1024;

/** Where kubectl finds its clusters, and what its programs for credentials need. */
const VARIABLES = [
  "PATH",
  "HOME",
  "USER",
  "KUBECONFIG",
  "AWS_PROFILE",
  "AWS_REGION",
  "CLOUDSDK_CONFIG",
  "AZURE_CONFIG_DIR",
  "SSL_CERT_FILE",
] as const;

interface Answer {
  readonly code: number;
  readonly out: string;
  /** The telling line of what it said went wrong. */
  readonly said: string;
}

/** How kubectl says that nobody answers, or not now. */
const NOBODY =
  /connection refused|was refused - did you specify|unable to connect to the server|i\/o timeout|no such host|TLS handshake|ServiceUnavailable|the server is currently unable|context deadline exceeded|context .* does not exist|no configuration has been provided/i;

/** Calls kubectl in the place of a profile. Throws `engine_unavailable` where it is not installed, or nobody answers. */
async function kubectl(
  { processes, env }: System,
  { kubernetes: { context, namespace } }: Profile,
  args: readonly string[],
  { stdin, signal }: { readonly stdin?: string; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  const own = Object.fromEntries(VARIABLES.map((name) => [name, env.get(name)]));
  const result = await processes.run({
    command: "kubectl",
    args: [
      ...(context === undefined ? [] : [`--context=${context}`]),
      ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
      `--request-timeout=${REQUEST_S}s`,
      ...args,
    ],
    clearEnv: true,
    env: { ...defined(own), LC_ALL: "C" },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MOST_OUTPUT,
    ...defined({ stdin, signal }),
  });
  const said = saidBy(result.stderr);
  const problem = result.startError === "not_found"
    ? "kubectl is not installed, or not on PATH"
    : result.startError !== null
    ? "kubectl could not be started"
    : result.timedOut
    ? `kubectl did not answer within ${TIMEOUT_MS / 1_000} s`
    : result.exitCode !== 0 && NOBODY.test(result.stderr)
    ? said
    : null;
  if (problem === null) return { code: result.exitCode, out: result.stdout, said };
  throw unavailable(`Cannot reach Kubernetes: ${problem}`);
}

/** The error of an engine that cannot be asked, or does not let us. */
function unavailable(message: string): AmofError {
  return new AmofError("engine_unavailable", message, { details: { engine: "kubernetes" } });
}

/** An object, or the list of objects, that kubectl printed as JSON. Throws `engine_unavailable` for anything else. */
function objectIn({ out }: Pick<Answer, "out">): Fields {
  const value = jsonIn(out);
  if (value === undefined) throw unavailable("Cannot read what kubectl says: it is no JSON");
  return fieldsOf(value);
}

function saidBy(text: string): string {
  const line = text.trim().split("\n").filter((one) => one.trim() !== "").at(-1);
  return cleanLine(
    (line ?? "it said nothing").replace(/^(?:error: |Error from server )/i, ""),
    300,
  );
}

/** The pods of an array, and their logs. */
interface Source {
  readonly run: string;
  readonly pods: () => Promise<readonly Pod[]>;
  /** The log of a pod; null where it is gone. */
  readonly log: (pod: Pod) => Promise<string | null>;
}

/** Whether nothing is missing of what one start of a shard told. */
function isWhole(lines: readonly ShardLine[]): boolean {
  return lines.at(-1)?.type === "end" && lines.every(({ seq }, at) => seq === at);
}

/** Reads the log of each pod once, when it has ended. */
class PodCollector implements Collector {
  readonly #source: Source;
  /** The pods whose logs have been read. */
  readonly #read = new Set<string>();

  constructor(source: Source) {
    this.#source = source;
  }

  async *next(): AsyncGenerator<ShardLine> {
    const { run, pods, log } = this.#source;
    for (const pod of await pods()) {
      const isOver = pod.phase === "Succeeded" || pod.phase === "Failed";
      if (!isOver || this.#read.has(pod.name)) continue;
      const text = await log(pod);
      // A node that does not answer now may answer later; where it never does, its pods keep how they ended.
      if (text !== null || pod.message !== null) this.#read.add(pod.name);
      const lines = [...linesIn(text ?? "", run, pod.index)];
      yield* lines;
      // A log that was rotated away, in whole or its beginning, leaves what the pod's status keeps.
      if (!isWhole(lines)) yield* linesOfSummary(pod.message ?? "", run, pod.index);
    }
  }
}

/** What one array may have: more would have to be counted and limited in other ways. */
const MOST_SHARDS = 1_000;

/** What a ConfigMap holds at most, in bytes. */
const MOST_PLAN = 1_048_576;

/** The first version with limits for each index of a Job. */
const OLDEST = 29;

/** What the cluster of a profile has, and whether we may use it. Throws `engine_unavailable` where nobody answers. */
async function limitsOf(system: System, profile: Profile): Promise<Limits> {
  const version = objectIn(await kubectl(system, profile, ["version", "-o", "json"]));
  const minor = String(memberAt(version, ["serverVersion", "minor"]) ?? "");
  const name = String(
    memberAt(version, ["serverVersion", "gitVersion"]) ?? "of an unknown version",
  );
  const problems: Limits["problems"][number][] = [];
  if (Number.parseInt(minor, 10) < OLDEST) {
    problems.push({
      message: `The cluster is ${cleanLine(name, 40)}; Jobs that can be divided need 1.${OLDEST}`,
      fix: "Use a newer cluster",
    });
  }
  for (const verb of ["create", "get", "list", "patch", "delete"]) {
    const kind = verb === "list" ? "pods" : "jobs.batch";
    const { code, out } = await kubectl(system, profile, ["auth", "can-i", verb, kind]);
    // Where nobody tells, the call itself will.
    if (code !== 0 && out.trim() === "no") {
      problems.push({
        message: `You may not ${verb} ${kind} there`,
        fix: "Ask whoever runs the cluster, or name another namespace in the user file",
      });
    }
  }
  const place = profile.kubernetes.namespace ?? "the default namespace";
  return {
    shards: MOST_SHARDS,
    planBytes: MOST_PLAN,
    found: `Kubernetes ${cleanLine(name, 40)}, ${place}`,
    problems,
  };
}

/** How often the Job is asked for, in milliseconds: from the first to the second, the longer the array takes. */
const FIRST_LOOK_MS = 1_000;

const MOST_LOOK_MS = 15_000;

/** How long deleting may take, in seconds: pods get a minute to end. */
const DELETE_S = 120;

/** How long the last lines of pods that are gone may take to come, in milliseconds. */
const LAST_WORDS_MS = 2_000;

/** kubectl as an engine. */
export class KubernetesEngine implements Engine {
  readonly #system: System;

  constructor(system: System) {
    this.#system = system;
  }

  probe(profile: Profile): Promise<Limits> {
    return limitsOf(this.#system, profile);
  }

  async prepare(submission: Submission): Promise<Handle> {
    const text = await this.#system.files.readText(submission.plan.path);
    if (text === null) throw new TypeError("Cannot submit a plan that was not written");
    const environment = this.#environment(submission.profile);
    await this.#create(submission, jobObject(submission, environment));
    const handle = await this.find(submission);
    if (handle === null) throw unavailable("Cannot find the Job that was just made");
    await this.#create(submission, planObject(submission, { uid: handle.ref, text }));
    return handle;
  }

  /** What shards get of our environment: what the profile names, and that git asks nobody. */
  #environment({ env }: Profile): Readonly<Record<string, string>> {
    const named = env.flatMap((name) => {
      const value = this.#system.env.get(name);
      return value === undefined ? [] : [[name, value]];
    });
    return { ...Object.fromEntries(named), GIT_TERMINAL_PROMPT: "0" };
  }

  /** Makes an object, unless it is there. */
  async #create({ profile }: Submission, object: unknown): Promise<void> {
    const { code, said } = await kubectl(this.#system, profile, ["create", "-f", "-"], {
      stdin: JSON.stringify(object),
    });
    if (code === 0 || /already exists|AlreadyExists/.test(said)) return;
    throw unavailable(`Cannot submit to Kubernetes: ${said}`);
  }

  async find(submission: Submission): Promise<Handle | null> {
    const job = await this.#job(submission);
    if (job === null) return null;
    const uid = memberAt(job, ["metadata", "uid"]);
    const plan = memberAt(job, ["metadata", "labels", "amof.dev/plan"]);
    if (typeof uid === "string" && plan === planLabel(submission.plan.sha256)) {
      return { engine: "kubernetes", ref: uid };
    }
    const look = `kubectl get job ${nameOf(submission.run)}`;
    throw otherPlan(submission.run, "Kubernetes", look);
  }

  async #job({ run, profile }: Submission, signal?: AbortSignal): Promise<Fields | null> {
    const args = ["get", "job", nameOf(run), "--ignore-not-found", "-o", "json"];
    const answer = await kubectl(this.#system, profile, args, defined({ signal }));
    if (answer.code !== 0) throw unavailable(`Cannot ask Kubernetes: ${answer.said}`);
    return answer.out.trim() === "" ? null : objectIn(answer);
  }

  async start({ run, profile }: Submission): Promise<void> {
    const patch = ["patch", "job", nameOf(run), "--type=merge", "-p", '{"spec":{"suspend":false}}'];
    // A queue lets it go by itself.
    if (profile.kubernetes.queue !== undefined) return;
    const { code, said } = await kubectl(this.#system, profile, patch);
    if (code !== 0 && !/not found|NotFound/.test(said)) {
      throw unavailable(`Cannot start the Job: ${said}`);
    }
  }

  async *watch(
    submission: Submission,
    { ref }: Handle,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ShardView[]> {
    const exits = new Map<number, number>();
    const collector = this.collect(submission);
    for (let wait = FIRST_LOOK_MS; !signal.aborted; wait = Math.min(MOST_LOOK_MS, wait * 1.3)) {
      const found = await this.#job(submission, signal);
      // A namesake is not ours: ours is gone then.
      const job = memberAt(found, ["metadata", "uid"]) === ref ? found : null;
      if (job === null) {
        for await (const line of collector.next()) {
          if (line.type === "end") exits.set(line.shard, line.exit);
        }
      }
      const pods = await this.#pods(submission);
      const views = viewsOf(job, { pods, shards: submission.shards, exits });
      yield views;
      if (views.every(isFinal)) return;
      await this.#system.clock.sleep(wait, signal);
    }
  }

  async #pods({ run, profile }: Submission): Promise<readonly Pod[]> {
    const answer = await kubectl(this.#system, profile, [
      "get",
      "pods",
      "-l",
      `batch.kubernetes.io/job-name=${nameOf(run)}`,
      "-o",
      "json",
    ]);
    if (answer.code !== 0) throw unavailable(`Cannot ask Kubernetes: ${answer.said}`);
    return podsOf(objectIn(answer));
  }

  collect(submission: Submission): Collector {
    return new PodCollector({
      run: submission.run,
      pods: () => this.#pods(submission),
      log: ({ name }) => this.#log(submission.profile, [name]),
    });
  }

  async #log(
    profile: Profile,
    words: readonly string[],
    signal?: AbortSignal,
  ): Promise<string | null> {
    const args = ["logs", ...words];
    const { code, out } = await kubectl(this.#system, profile, args, defined({ signal }));
    return code === 0 || signal !== undefined ? out : null;
  }

  async cancel(submission: Submission): Promise<Cancelled> {
    const { profile, run } = submission;
    // Logs of shards go away with their pods, so they are read first.
    const running = (await this.#pods(submission)).filter(({ phase }) => phase === "Running");
    const listening = new AbortController();
    const words = ["-f", `--request-timeout=${DELETE_S}s`];
    // Who only listens may come too late: pods can be gone before the first line arrives.
    const before = await Promise.all(running.map(({ name }) => this.#log(profile, [name])));
    const logs = running.map(async ({ name, index }, at) => {
      const heard = await this.#log(profile, [...words, name], listening.signal) ?? "";
      const known = before[at] ?? "";
      return [...linesIn(heard.length < known.length ? known : heard, run, index)];
    });
    const { code, said } = await kubectl(this.#system, profile, [
      "delete",
      "job",
      nameOf(run),
      "--ignore-not-found",
      "--cascade=foreground",
      "--wait",
      `--timeout=${DELETE_S}s`,
    ]);
    const left = code === 0 ? [] : await this.#pods(submission);
    const heard = new AbortController();
    const ending = this.#system.clock.sleep(LAST_WORDS_MS, heard.signal)
      .then(() => listening.abort());
    const told = (await Promise.all(logs)).flat();
    heard.abort();
    await ending;
    if (code !== 0 && left.length === 0 && !/timed out/.test(said)) {
      throw unavailable(`Cannot delete the Job: ${said}`);
    }
    const unreachable = [...new Set(left.map(({ node, name }) => node ?? name))];
    return { confirmed: left.length === 0, unreachable, told };
  }

  /** Nothing: the cluster forgets what is over after a day. */
  async remove(): Promise<void> {}
}
