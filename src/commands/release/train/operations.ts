/**
 * The journaled steps of a train behind its point of no return: pushing each repository, and recording the whole.
 * The steps before it are those of every release.
 */

import { join } from "@std/path";
import { operation } from "../../../runs/steps/mod.ts";
import { list } from "../../../base/text/words.ts";
import { CONTROL } from "../answer.ts";
import { commitRecord, type Pushed, pushRelease } from "../publish.ts";
import { RECORD_SUBJECT, recordText } from "../record.ts";
import {
  readTrain,
  saysNothingNew,
  type TrainEntry,
  trainPath,
  type TrainRecord,
} from "./record.ts";

/** Pushes one repository of a train, if it is to be pushed, and notes in the train's record what came of it. */
export const pushMember = operation<
  Pushed & {
    readonly root: string;
    readonly push: boolean;
    /** The repositories of the train that it depends on, which were pushed before it or not; absent for none. */
    readonly needs?: readonly string[];
    readonly entry: Omit<TrainEntry, "commit" | "pushed" | "push_error">;
    /** The record as it is before the first repository. */
    readonly record: TrainRecord;
  }
>({
  name: "train_push",
  touches: ({ root, directory }) => [root, directory],
  describe: ({ repo, tag, remote, push }) =>
    push ? `Push ${tag} of ${repo} to ${remote}` : `Note ${tag} of ${repo}`,
  async act(ctx, args) {
    const { root, repo, directory, tag, push, needs = [], entry } = args;
    const record = await readTrain(ctx.system, root, args.record.train) ?? args.record;
    const missing = needs.filter((name) => (record.repos[name]?.push_error ?? null) !== null);
    const error = !push
      ? null
      : missing.length > 0
      ? `it waits for ${list(missing)}`
      : await pushRelease(ctx, args);
    const commit = await ctx.git.until().at(directory).refs.resolve(`refs/tags/${tag}`) ?? "";
    const noted: TrainEntry = {
      ...entry,
      commit,
      pushed: push && error === null,
      push_error: error,
    };
    await ctx.system.files.write(
      join(root, trainPath(record.train)),
      recordText({ ...record, repos: { ...record.repos, [repo]: noted } }),
    );
  },
});

/**
 * Commits the record of a train in the control repository, where it stays until somebody pushes it. One that only repeats
 * what the train before it could not push is removed.
 */
export const recordTrain = operation<
  { readonly root: string; readonly branch: string; readonly train: string }
>({
  name: "train_record",
  touches: ({ root }) => [root],
  describe: ({ train }) => `Record the train ${train}`,
  async act(ctx, { root, branch, train }) {
    const record = await readTrain(ctx.system, root, train);
    if (record === null) return;
    if (await saysNothingNew(ctx.system, root, record)) {
      await ctx.system.files.remove(join(root, trainPath(train)));
      return;
    }
    await commitRecord(ctx, {
      repo: CONTROL,
      directory: root,
      branch,
      files: { [trainPath(train)]: recordText(record) },
      subject: `${RECORD_SUBJECT}train ${train}`,
    });
  },
});

/** The operations of trains. */
export const TRAIN_OPERATIONS = [pushMember, recordTrain];
