/** A Slurm cluster as an engine: one array of jobs, files on a directory that all nodes see (ENGINE-4). */

import { join } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { System } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import {
  type Cancelled,
  type Collector,
  type Engine,
  type Handle,
  isFinal,
  type Limits,
  otherPlan,
  passedOn,
  type Profile,
  shardArguments,
  type ShardView,
  type Submission,
} from "../port.ts";
import { ResultFiles } from "../shard/line.ts";
import { asks, limitsOf, readAccounts, readQueue, saidBy, slurm } from "./reading.ts";

/** How often the queue is asked, in milliseconds: from the first to the second, the longer the array takes. */
const FIRST_LOOK_MS = 1_000;
const MOST_LOOK_MS = 10_000;
/** How often it is asked whether what was cancelled has ended, and how long. */
const CANCEL_LOOK_MS = 500;
const CANCEL_MS = 90_000;
/** What is said of a job that the cluster remembers no more. */
const GONE = /invalid job id/i;

/** The columns that are asked of `squeue`. */
const COLUMNS = "ArrayTaskID:|,State:|,exit_code:|,NodeList:|,Reason:|";

/** Slurm's programs as an engine. */
export class SlurmEngine implements Engine {
  readonly #system: System;

  constructor(system: System) {
    this.#system = system;
  }

  probe(profile: Profile): Promise<Limits> {
    return limitsOf(this.#system, profile);
  }

  async prepare(submission: Submission): Promise<Handle> {
    const there = await this.find(submission);
    if (there !== null) return there;
    const place = placeOf(submission);
    const { files, env } = this.#system;
    for (const directory of [place.directory, place.results, place.logs]) {
      await files.makeDirectory(directory, { mode: 0o700 });
    }
    const plan = await files.readText(submission.plan.path);
    if (plan === null) throw new TypeError("Cannot submit a plan that was not written");
    await files.write(place.plan, plan, { mode: 0o600 });
    const program = await this.#program(submission.profile);
    const answer = await slurm(this.#system, "sbatch", batchArguments(submission, place), {
      stdin: scriptOf(submission, place, program),
      environment: passedOn(env, submission.profile.env),
    });
    const ref = /^(\d+)/.exec(answer.out.trim())?.[1];
    if (answer.code === 0 && ref !== undefined) return { engine: "slurm", ref };
    throw new AmofError(
      "engine_unavailable",
      `Cannot submit to Slurm: ${saidBy(answer.err)}`,
      {
        hint: `Look what is wrong: amof engine check ${shellWord(submission.profile.name)}`,
        details: { engine: "slurm", said: cleanLine(answer.err, 400) },
      },
    );
  }

  async find({ run, plan }: Submission): Promise<Handle | null> {
    const { out } = await slurm(this.#system, "squeue", [
      "-h",
      "-t",
      "all",
      "--me",
      `--name=${nameOf(run)}`,
      "-O",
      "ArrayJobID:|,Comment:100",
    ]);
    const found = new Map(
      out.split("\n").map((line) => line.split("|").map((cell) => cell.trim()))
        .filter(([id = ""]) => /^\d+$/.test(id)).map(([id = "", comment = ""]) => [id, comment]),
    );
    const [first] = found;
    if (first === undefined) return null;
    const [ref, comment] = first;
    if (found.size === 1 && comment === plan.sha256) return { engine: "slurm", ref };
    throw otherPlan(run, "Slurm", `squeue --me --name=${nameOf(run)}`);
  }

  async start(_submission: Submission, { ref }: Handle): Promise<void> {
    const { code, err } = await slurm(this.#system, "scontrol", ["release", ref]);
    // A job that was released, or that has ended, need not be released.
    if (code === 0 || GONE.test(err) || /already|not pending|requested operation/i.test(err)) {
      return;
    }
    throw new AmofError("engine_unavailable", `Cannot start job ${ref} of Slurm: ${saidBy(err)}`, {
      details: { engine: "slurm", job: ref },
    });
  }

  async *watch(
    submission: Submission,
    handle: Handle,
    signal: AbortSignal,
  ): AsyncGenerator<readonly ShardView[]> {
    let stuck: ReadonlySet<number> = new Set();
    for (let wait = FIRST_LOOK_MS; !signal.aborted; wait = Math.min(MOST_LOOK_MS, wait * 1.3)) {
      const seen = await this.#look(submission, handle, signal);
      // What can never begin is believed when it is said again: while it changes, a cluster says much.
      const views = seen.map((view) =>
        view.reason !== "unstartable" || stuck.has(view.index)
          ? view
          : { ...view, state: "waiting" as const, reason: "waits" as const }
      );
      stuck = new Set(
        seen.filter(({ reason }) => reason === "unstartable").map(({ index }) => index),
      );
      yield views;
      if (views.every(isFinal)) return;
      await this.#system.clock.sleep(wait, signal);
    }
  }

  async #look(
    submission: Submission,
    { ref }: Handle,
    signal: AbortSignal,
  ): Promise<readonly ShardView[]> {
    const queue = ["-h", "-r", "-t", "all", "-j", ref, "-O", COLUMNS];
    const { code, out, err } = await slurm(this.#system, "squeue", queue, { signal });
    if (code !== 0 && !GONE.test(err)) {
      throw new AmofError("engine_unavailable", `Cannot ask Slurm: ${saidBy(err)}`, {
        details: { engine: "slurm", job: ref },
      });
    }
    const seen = new Map(code === 0 ? readQueue(out) : []);
    if (seen.size < submission.shards) {
      const accounts = await slurm(
        this.#system,
        "sacct",
        ["-X", "-n", "-P", "-j", ref, "-o", "jobid,state,exitcode,nodelist"],
        // Else a list of tasks that never began together ends after 64 bytes.
        { environment: { SLURM_BITSTR_LEN: "0" }, signal },
      );
      for (const [index, view] of accounts.code === 0 ? readAccounts(accounts.out) : []) {
        if (!seen.has(index)) seen.set(index, view);
      }
    }
    const told = seen.size < submission.shards ? await this.#told(submission) : new Map();
    return Array.from({ length: submission.shards }, (_, index): ShardView => {
      const exitCode = told.get(index);
      return seen.get(index) ?? {
        index,
        state: exitCode === 0 ? "succeeded" : "failed",
        reason: exitCode === undefined ? "vanished" : exitCode === 0 ? null : "exit",
        exitCode: exitCode ?? null,
        node: null,
        note: null,
      };
    });
  }

  /** The exit codes that shards have told themselves, for those that Slurm has forgotten. */
  async #told(submission: Submission): Promise<Map<number, number>> {
    const exits = new Map<number, number>();
    for await (const line of this.collect(submission).next()) {
      if (line.type === "end") exits.set(line.shard, line.exit);
    }
    return exits;
  }

  collect(submission: Submission): Collector {
    const { results } = placeOf(submission);
    return new ResultFiles(this.#system, results, submission.run);
  }

  async cancel(_submission: Submission, { ref }: Handle): Promise<Cancelled> {
    await slurm(this.#system, "scancel", [ref]);
    const until = this.#system.clock.now() + CANCEL_MS;
    for (;;) {
      const { code, out } = await slurm(this.#system, "squeue", [
        "-h",
        "-j",
        ref,
        "-O",
        "NodeList:",
      ]);
      const nodes = code === 0 ? out.split("\n").map((line) => line.trim()) : [];
      if (code !== 0 || out.trim() === "") return { confirmed: true, unreachable: [], told: [] };
      if (this.#system.clock.now() > until) {
        return { confirmed: false, unreachable: [...new Set(nodes.filter(Boolean))], told: [] };
      }
      await this.#system.clock.sleep(CANCEL_LOOK_MS);
    }
  }

  async remove(submission: Submission): Promise<void> {
    await this.#system.files.removeTree(placeOf(submission).directory);
  }

  /** The program that nodes start: the one that is named, or a copy of this one where they see it. */
  async #program({ program, directory }: Profile): Promise<readonly string[]> {
    if (program !== null) return [program];
    const { files, processes } = this.#system;
    const self = processes.self();
    const [binary = ""] = self;
    // From source there is no one file that could be copied.
    if (self.length > 1) return self;
    const hash = await files.hash(binary);
    const copy = join(directory ?? "", "bin", `amof-${hash}`);
    if (await files.stat(copy) !== null) return [copy];
    const aside = `${copy}.${this.#system.ids.hex(8)}`;
    await files.makeDirectory(join(directory ?? "", "bin"), { mode: 0o700 });
    await files.copy(binary, aside, { mode: 0o700 });
    await files.rename(aside, copy);
    return [copy];
  }
}

/** Where an array has its files, on the directory that all nodes see. */
interface Place {
  readonly directory: string;
  readonly plan: string;
  readonly results: string;
  readonly logs: string;
}

function placeOf({ run, profile }: Submission): Place {
  const directory = join(profile.directory ?? "", nameOf(run));
  return {
    directory,
    plan: join(directory, "plan.json"),
    results: join(directory, "results"),
    logs: join(directory, "logs"),
  };
}

function nameOf(run: string): string {
  return `amof-${run}`;
}

function batchArguments(
  { run, plan, shards, profile }: Submission,
  { directory, logs }: Place,
): readonly string[] {
  return [
    "--parsable",
    "--hold",
    `--job-name=${nameOf(run)}`,
    `--comment=${plan.sha256}`,
    `--array=0-${shards - 1}%${profile.parallel}`,
    "--export=ALL",
    // Slurm itself counts how often it begins a job only for those it may begin again.
    profile.attempts > 1 ? "--requeue" : "--no-requeue",
    "--open-mode=append",
    "--input=/dev/null",
    `--output=${join(logs, "%a.log")}`,
    `--chdir=${directory}`,
    ...asks(profile),
  ];
}

/** The batch script: it starts the shard and nothing else. Words of ours but for two variables of Slurm. */
function scriptOf(
  submission: Submission,
  { plan, results }: Place,
  program: readonly string[],
): string {
  const shard = shardArguments(submission, { plan, results, index: "INDEX", start: "START" });
  const words = [...program, ...shard].map((word, at, all) =>
    word === "INDEX" && all[at - 1] === "--index"
      ? '"$SLURM_ARRAY_TASK_ID"'
      : word === "START" && all[at - 1] === "--begun"
      ? '"$((1 + ${SLURM_RESTART_COUNT:-0}))"'
      : shellWord(word)
  );
  return `#!/bin/sh\nexec ${words.join(" ")}\n`;
}
