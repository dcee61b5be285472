/** What is written down of a submission, so that any later process finds it again (ENGINE-7). */

import { join } from "@std/path";
import { AmofError } from "../base/error.ts";
import { isObject, jsonIn } from "../base/object.ts";
import type { Layout } from "../state/store/mod.ts";
import type { FileLock, Files } from "../base/system/mod.ts";
import type { SealedPlan } from "./plan/plan.ts";
import type { Handle, Profile, Submission } from "./port.ts";

/**
 * How far a submission is: `preparing` (the engine may have it), `prepared` (it has it, nothing runs), `started`,
 * `cancelling`, `settled` (everything was collected).
 */
type Phase = "preparing" | "prepared" | "started" | "cancelling" | "settled";

/** A submission as it is written down. */
export interface SubmissionRecord {
  readonly v: 1;
  readonly run: string;
  readonly root: string;
  readonly ecosystem: string;
  readonly profile: Profile;
  readonly sha256: string;
  readonly key: string;
  readonly shards: number;
  readonly phase: Phase;
  readonly handle: Handle | null;
}

/** The submissions of an installation. */
export class Submissions {
  readonly #files: Files;
  readonly #directory: string;

  constructor(files: Files, layout: Layout) {
    this.#files = files;
    this.#directory = join(layout.state, "engine");
  }

  #of(run: string): string {
    return join(this.#directory, run);
  }

  /** Writes a new one down, with its plan. */
  async add(
    { sha256, key, text }: SealedPlan,
    facts: Pick<SubmissionRecord, "run" | "root" | "ecosystem" | "profile" | "shards">,
  ): Promise<SubmissionRecord> {
    const record: SubmissionRecord = {
      v: 1,
      ...facts,
      sha256,
      key,
      phase: "preparing",
      handle: null,
    };
    await this.#files.makeDirectory(this.#of(facts.run), { mode: 0o700 });
    await this.#files.write(join(this.#of(facts.run), "plan.json"), text, { mode: 0o600 });
    await this.put(record);
    return record;
  }

  /** Writes down how far one is. */
  put(record: SubmissionRecord): Promise<void> {
    const text = `${JSON.stringify(record, null, 2)}\n`;
    return this.#files.write(join(this.#of(record.run), "submission.json"), text, { mode: 0o600 });
  }

  /** The submission of a run, or null where it has none. Throws `state_corrupt` where its file cannot be read. */
  async get(run: string): Promise<SubmissionRecord | null> {
    const path = join(this.#of(run), "submission.json");
    const text = await this.#files.readText(path);
    if (text === null) return null;
    const record = jsonIn(text);
    if (isObject(record) && record["v"] === 1 && record["run"] === run) {
      return record as unknown as SubmissionRecord;
    }
    throw new AmofError("state_corrupt", `Cannot read what was noted of an array: ${path}`, {
      hint:
        "Look at the array with the programs of its engine: it is called amof- and the id of the run",
      details: { path, run_id: run },
    });
  }

  /** What an engine is given. */
  submission({ run, profile, sha256, key, shards }: SubmissionRecord): Submission {
    const directory = this.#of(run);
    return {
      run,
      profile,
      plan: { path: join(directory, "plan.json"), sha256 },
      key,
      shards,
      directory,
    };
  }

  /**
   * Keeps others from following the same array, which would begin shards twice. Throws `state_busy` where another
   * process does.
   */
  async hold(run: string): Promise<FileLock> {
    const lock = await this.#files.lock(join(this.#of(run), "follow.lock"));
    if (lock !== null) return lock;
    throw new AmofError(
      "state_busy",
      `Cannot follow the array of run ${run.slice(0, 8)}: another process does`,
      {
        hint: `Follow that one: amof runs logs ${run.slice(0, 8)} --follow`,
        details: { run_id: run },
      },
    );
  }

  /** The plan of a submission as text; null when it is gone. */
  plan(run: string): Promise<string | null> {
    return this.#files.readText(join(this.#of(run), "plan.json"));
  }
}
