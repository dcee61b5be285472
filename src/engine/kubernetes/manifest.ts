/** The objects of an array: an indexed Job that waits, and the plan beside it (ENGINE-9). */

import process from "node:process";
import { shardArguments, type ShardReason, type ShardView, type Submission } from "../port.ts";
import { type Fields, fieldsOf, memberAt } from "../../base/object.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** Exit codes of a shard that another start would not change (SHARD-4). */
const FINAL_CODES = [1, 2, 4, 5, 124, 130];
/** Whoever runs the program there, without rights of its own. */
const NOBODY = 65_532;
const GRACE_S = 60;
/** What the limit of the engine leaves a shard to end by itself, in seconds. */
const SPARE_S = 120;
/** How long the objects stay when the array is over, in seconds. */
const KEPT_S = 86_400;
/** How the directory of temporary files is limited. */
const SCRATCH = "8Gi";

/**
 * The first process of a pod: a shell that handles SIGTERM at once, and hands it on. The kernel delivers no
 * signal to a first process without a handler, and a program takes its time to install one. What the shell
 * starts can thus be ended from its first moment.
 */
const FIRST_PROCESS = [
  `trap 'asked=1; test -z "$shard" || kill -TERM "$shard"' TERM`,
  '"$@" & shard=$!',
  'test -z "$asked" || kill -TERM "$shard"',
  'while :; do wait "$shard"; code=$?; kill -0 "$shard" 2>/dev/null || exit "$code"; done',
].join("\n");

/** What a label has of a hash: labels take 63 characters. */
export function planLabel(sha256: string): string {
  return sha256.slice(0, 32);
}

/** The name of an array; with the largest index behind it, it has at most 63 characters. */
export function nameOf(run: string): string {
  return `amof-${run}`;
}

function labels({ run, plan }: Submission): Readonly<Record<string, string>> {
  return {
    "app.kubernetes.io/name": "amof",
    "app.kubernetes.io/managed-by": "amof",
    "amof.dev/run": run,
    "amof.dev/plan": planLabel(plan.sha256),
  };
}

/** The plan as an object that goes with its Job; `text` is the plan's. */
export function planObject(submission: Submission, { uid, text }: {
  readonly uid: string;
  readonly text: string;
}): unknown {
  const { gzipSync } = process.getBuiltinModule("node:zlib");
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: nameOf(submission.run),
      labels: labels(submission),
      ownerReferences: [{
        apiVersion: "batch/v1",
        kind: "Job",
        name: nameOf(submission.run),
        uid,
      }],
    },
    immutable: true,
    binaryData: { "plan.json.gz": gzipSync(text).toString("base64") },
  };
}

/** The Job, which waits until it is told to begin. `environment` is what shards get of ours. */
export function jobObject(
  submission: Submission,
  environment: Readonly<Record<string, string>>,
): unknown {
  const { shards, profile } = submission;
  const { queue } = profile.kubernetes;
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: nameOf(submission.run),
      labels: {
        ...labels(submission),
        ...(queue === undefined ? {} : { "kueue.x-k8s.io/queue-name": queue }),
      },
    },
    spec: {
      suspend: true,
      completionMode: "Indexed",
      completions: shards,
      parallelism: Math.min(shards, profile.parallel),
      backoffLimitPerIndex: profile.attempts - 1,
      podReplacementPolicy: "Failed",
      ttlSecondsAfterFinished: KEPT_S,
      podFailurePolicy: {
        rules: [
          // A shard that is evicted politely ends by itself, with a code of its own.
          { action: "Count", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
          {
            action: "FailIndex",
            onExitCodes: { containerName: "shard", operator: "In", values: FINAL_CODES },
          },
        ],
      },
      template: {
        metadata: { labels: labels(submission) },
        spec: podSpec(submission, environment),
      },
    },
  };
}

function podSpec(
  submission: Submission,
  environment: Readonly<Record<string, string>>,
): unknown {
  const { profile, run } = submission;
  const { image, secret } = profile.kubernetes;
  const shard = shardArguments(submission, {
    plan: "/plan/plan.json.gz",
    results: null,
    summary: "/dev/termination-log",
    index: "$(JOB_COMPLETION_INDEX)",
    start: "1",
  });
  const amount = profile.memory === null ? {} : { memory: `${profile.memory}Mi` };
  const env = { ...environment, HOME: "/scratch", TMPDIR: "/scratch" };
  return {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: GRACE_S,
    activeDeadlineSeconds: profile.seconds + SPARE_S,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: NOBODY,
      runAsGroup: NOBODY,
      fsGroup: NOBODY,
      seccompProfile: { type: "RuntimeDefault" },
    },
    volumes: [
      { name: "plan", configMap: { name: nameOf(run) } },
      { name: "scratch", emptyDir: { sizeLimit: SCRATCH } },
      ...(secret === undefined
        ? []
        : [{ name: "credentials", secret: { secretName: secret, defaultMode: 0o400 } }]),
    ],
    containers: [{
      name: "shard",
      image,
      // Kubernetes itself puts values in the place of $(NAME); a dollar is two of them.
      command: ["/bin/sh", "-c", FIRST_PROCESS, "amof", profile.program ?? "amof", ...shard]
        .map((word) => word.startsWith("$(JOB_") ? word : word.replaceAll("$", "$$$$")),
      env: Object.entries(env).map(([name, value]) => ({ name, value })),
      resources: { requests: { cpu: String(profile.cpus), ...amount }, limits: amount },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
      volumeMounts: [
        { name: "plan", mountPath: "/plan", readOnly: true },
        { name: "scratch", mountPath: "/scratch" },
        ...(secret === undefined
          ? []
          : [{ name: "credentials", mountPath: "/credentials", readOnly: true }]),
      ],
    }],
  };
}

// Reads how shards stand out of a Job and its pods (ENGINE-9).

/** A pod of an array. */
export interface Pod {
  readonly name: string;
  readonly index: number;
  readonly phase: string;
  readonly node: string | null;
  readonly exitCode: number | null;
  readonly reason: ShardReason | null;
  /** Why it does not run yet, or null. */
  readonly note: string | null;
  /** What the shard wrote when it ended, or null. */
  readonly message: string | null;
}

const KILLED = 137;
const TIME_IS_OVER = 124;

function textAt(value: unknown, ...path: readonly PropertyKey[]): string | null {
  const found = memberAt(value, path);
  return typeof found === "string" && found !== "" ? found : null;
}

function listAt(value: unknown, ...path: readonly PropertyKey[]): readonly unknown[] {
  const found = memberAt(value, path);
  return Array.isArray(found) ? found : [];
}

function reasonOf(pod: Fields, exitCode: number | null): ShardReason | null {
  const whole = textAt(pod, "status", "reason");
  const ended = textAt(pod, "status", "containerStatuses", 0, "state", "terminated", "reason");
  const disrupted = listAt(pod, "status", "conditions").map(fieldsOf).find((condition) =>
    condition["type"] === "DisruptionTarget" && condition["status"] === "True"
  );
  if (ended === "OOMKilled" || exitCode === KILLED && disrupted === undefined) return "memory";
  if (whole === "DeadlineExceeded" || exitCode === TIME_IS_OVER) return "timeout";
  if (whole === "Evicted") return "evicted";
  if (disrupted !== undefined) {
    return /node|taint/i.test(String(disrupted["reason"])) ? "node" : "evicted";
  }
  return whole === "NodeLost" ? "node" : exitCode === null || exitCode === 0 ? null : "exit";
}

/** The pods of a list that kubectl printed. */
export function podsOf(list: Fields): readonly Pod[] {
  return listAt(list, "items").map(fieldsOf).flatMap((pod): Pod[] => {
    const index = Number(
      textAt(pod, "metadata", "labels", "batch.kubernetes.io/job-completion-index") ??
        textAt(pod, "metadata", "annotations", "batch.kubernetes.io/job-completion-index") ?? "-1",
    );
    const name = textAt(pod, "metadata", "name");
    if (name === null || !Number.isInteger(index) || index < 0) return [];
    const state = ["status", "containerStatuses", 0, "state"] as const;
    const code = memberAt(pod, [...state, "terminated", "exitCode"]);
    const exitCode = typeof code === "number" ? code : null;
    const unscheduled = listAt(pod, "status", "conditions").map(fieldsOf).find((condition) =>
      condition["type"] === "PodScheduled" && condition["status"] === "False"
    );
    const note = textAt(pod, ...state, "waiting", "reason") ??
      textAt(unscheduled ?? null, "reason");
    return [{
      name,
      index,
      phase: textAt(pod, "status", "phase") ?? "Pending",
      node: textAt(pod, "spec", "nodeName"),
      exitCode,
      reason: reasonOf(pod, exitCode),
      note: note === null ? null : cleanLine(note, 60),
      message: textAt(pod, ...state, "terminated", "message"),
    }];
  });
}

/** The numbers of ranges such as `0-3,5`. */
function indexesOf(ranges: string | null): ReadonlySet<number> {
  const all = new Set<number>();
  for (const part of (ranges ?? "").split(",")) {
    const [, first, last] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part.trim()) ?? [];
    if (first === undefined) continue;
    for (let at = Number(first); at <= Number(last ?? first); at++) all.add(at);
  }
  return all;
}

/** How the shards of a Job stand; `exits` is what they told themselves, where the Job is gone. */
export function viewsOf(
  job: Fields | null,
  { pods, shards, exits }: {
    readonly pods: readonly Pod[];
    readonly shards: number;
    readonly exits: ReadonlyMap<number, number>;
  },
): readonly ShardView[] {
  const done = indexesOf(textAt(job, "status", "completedIndexes"));
  const failed = indexesOf(textAt(job, "status", "failedIndexes"));
  const isOver = job !== null &&
    listAt(job, "status", "conditions").map(fieldsOf).some((one) =>
      (one["type"] === "Complete" || one["type"] === "Failed") && one["status"] === "True"
    );
  const byIndex = Map.groupBy(pods, ({ index }) => index);
  return Array.from({ length: shards }, (_, index): ShardView => {
    const own = byIndex.get(index) ?? [];
    const live = own.find(({ phase }) => phase === "Running") ??
      own.find(({ phase }) => phase === "Pending");
    const last = own.findLast(({ phase }) => phase === "Failed" || phase === "Succeeded");
    const told = exits.get(index) ?? last?.exitCode ?? null;
    // Pods outlive a Job that somebody deletes, for as long as they take to end.
    const isGone = job === null && live === undefined;
    const facts = { index, exitCode: told, node: last?.node ?? null, note: null };
    if (done.has(index) || (isOver || isGone) && told === 0) {
      return { ...facts, state: "succeeded", reason: null, exitCode: 0 };
    }
    if (failed.has(index) || isOver || isGone) {
      const lost = told !== null ? "exit" : failed.has(index) ? "node" : "vanished";
      // The pods of a shard that failed stay, unless their node went, or was emptied, with them.
      const reason = last?.reason ?? lost;
      return { ...facts, state: "failed", reason };
    }
    const running = live?.phase === "Running";
    return {
      index,
      state: running ? "running" : "waiting",
      reason: running ? null : "waits",
      exitCode: null,
      node: live?.node ?? null,
      note: live?.note ?? null,
    };
  });
}
