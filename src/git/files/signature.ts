/** Whether an answer of git still holds: what a look at the disk went by, and decisions over what the system notes of files. */

import { sha256 } from "../../base/hash.ts";
import { isObject } from "../../base/object.ts";
import { type Files, STAMP_LENGTH, type System } from "../../base/system/mod.ts";
import { join } from "@std/path";

/**
 * What an answer depends on: `names` is the git directory without the index (HEAD, refs, configuration), `files` is that
 * with the index and the working copy.
 */
export type Extent = "names" | "files";

/** An answer of git, and when it was asked for. */
interface Answer {
  readonly extent: Extent;
  readonly text: string;
  /** Milliseconds since the epoch; null where nobody has looked what it depends on, so that it cannot be given again. */
  readonly at: number | null;
}

/** What is remembered of one clone. */
export interface Verdict {
  /** A hash of everything outside of the clone, as it stood when git was asked. */
  readonly environment: string;
  /** What has to stand as it stood, and what must not be there, relative to the clone or absolute. */
  readonly watched: Readonly<Record<Extent | "absent", readonly string[]>>;
  /** The hashes of what the system noted of that; null for what nobody could be sure of. */
  readonly signatures: Readonly<Record<Extent, string | null>>;
  /** Answers by a hash of the question. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** What came of whole looks, by their kind. */
  readonly looks: Readonly<Record<string, KeptLook>>;
}

/** The result of a whole look at a clone, and what it went by besides what is watched for the answers of git. */
export interface KeptLook {
  /** What it was for, as text. */
  readonly key: string;
  /** What came of it, as JSON. */
  readonly text: string;
  /** The seal of the clone under which it was taken. */
  readonly seal: string;
  /** When it began, in milliseconds since the epoch. */
  readonly at: number;
  /** How the verdict of the clone stood, by {@linkcode stateOf}. */
  readonly state: string;
  readonly read: Read;
  /** The hash of what the system noted of what was there and is watched, and of the directories of which names counted. */
  readonly signature: string;
  readonly listing: string;
}

/** What stamps of files say besides their being equal. */
export interface StampFacts {
  /** The latest change, in milliseconds since the epoch. */
  readonly newestMs: number;
  /** Whether the times are whole seconds, as some file systems keep them. */
  readonly coarse: boolean;
  /** Whether all lie on one file system. */
  readonly together: boolean;
}

/** How far behind the clock the time of a change may be: the kernel takes it from its last tick. */
const TICK_MS = 20;
/** The same where a file system keeps whole seconds. */
const COARSE_MS = 2_000;

/** Stamps as they are kept. */
export function signatureOf(stamps: Int32Array): string {
  return sha256(new Uint8Array(stamps.buffer));
}

/** Reads stamps, as `Files.stamps` has them. */
export function stampFacts(stamps: Int32Array): StampFacts {
  let [newestMs, coarse, together] = [0, true, true];
  let first: number | undefined;
  for (let at = 0; at < stamps.length; at += STAMP_LENGTH) {
    if (stamps[at] === 0) continue;
    const of = (member: number) => stamps[at + member] ?? 0;
    first ??= at;
    together &&= of(6) === stamps[first + 6] && of(7) === stamps[first + 7];
    coarse &&= of(9) === 0 && of(11) === 0;
    for (const time of [8, 10]) {
      // A time before 1970 is one that never comes.
      newestMs = Math.max(newestMs, (of(time) >>> 0) * 1_000 + of(time + 1) / 1e6);
    }
  }
  return { newestMs, coarse, together };
}

/**
 * Whether a change after `sinceMs` shows in another stamp. All times must be older than that: git, too, trusts
 * an entry of its index only where the file is older than the index.
 */
export function isSettled(
  { newestMs, coarse }: Pick<StampFacts, "newestMs" | "coarse">,
  sinceMs: number,
): boolean {
  return newestMs < sinceMs - (coarse ? COARSE_MS : TICK_MS);
}

/** The answer that may be given without git if all that it depends on stands as it stood; null for none. */
export function answerIn(
  verdict: Pick<Verdict, "answers"> | undefined,
  question: string,
  nowMs: number,
): Answer | null {
  const answers = verdict?.answers ?? {};
  const answer = Object.hasOwn(answers, question) ? answers[question] : undefined;
  // A clock that was set back gives new changes the times of old ones.
  return answer === undefined || answer.at === null || answer.at > nowMs ? null : answer;
}

/** The last look of a kind. */
export function lookIn(verdict: Verdict | undefined, kind: string): KeptLook | undefined {
  const looks = verdict?.looks ?? {};
  return Object.hasOwn(looks, kind) ? looks[kind] : undefined;
}

/** What is remembered of a clone before anybody looks what answers depend on. */
const UNSEEN: Verdict = {
  environment: "",
  watched: { names: [], files: [], absent: [] },
  signatures: { names: null, files: null },
  answers: {},
  looks: {},
};

/** How everything stands that answers of git depend on, as one text; null where nobody is sure. */
export function stateOf(
  { environment, signatures }: Pick<Verdict, "environment" | "signatures">,
): string | null {
  const { names, files } = signatures;
  return names === null || files === null ? null : `${environment} ${names} ${files}`;
}

/** Whether stamps show each of some paths, and none of them as a link, which may lead elsewhere at any time. */
export function areThere(stamps: Int32Array): boolean {
  for (let at = 0; at < stamps.length; at += STAMP_LENGTH) {
    const kind = (stamps[at] ?? 0) & KIND;
    if (kind === 0 || kind === LINK) return false;
  }
  return true;
}

/** The part of a mode that says what something is, and what it is for a symbolic link. */
const KIND = 0o170000;
const LINK = 0o120000;

/** Whether git said the same when it was asked last: what changes from look to look is not worth looking closer. */
export function isRepeated(before: Verdict | undefined, question: string, text: string): boolean {
  const answers = before?.answers ?? {};
  return Object.hasOwn(answers, question) && answers[question]?.text === text;
}

/** A verdict with an answer that was given for the first time: it is only compared with the next one. */
export function withNote(
  before: Verdict | undefined,
  question: string,
  { extent, text }: Pick<Answer, "extent" | "text">,
): Verdict {
  const { answers, ...known } = before ?? UNSEEN;
  const kept = Object.entries(answers).filter(([key]) => key !== question).slice(1 - MOST);
  return {
    ...known,
    answers: { ...Object.fromEntries(kept), [question]: { extent, text, at: null } },
  };
}

/** A verdict with an answer more; those that another state had are gone. */
export function withAnswer(
  before: Verdict | undefined,
  now: Pick<Verdict, "environment" | "watched" | "signatures">,
  question: string,
  answer: Answer,
): Verdict {
  const isSame = before?.environment === now.environment;
  const holds = ({ extent, at }: Answer) =>
    at === null || isSame && before?.signatures.names === now.signatures.names &&
      (extent === "names" || before?.signatures.files === now.signatures.files);
  const kept = Object.entries(before?.answers ?? {})
    .filter(([key, one]) => key !== question && holds(one)).slice(1 - MOST);
  return {
    ...now,
    answers: { ...Object.fromEntries(kept), [question]: answer },
    looks: before?.looks ?? {},
  };
}

/** So many answers are remembered of one clone. */
const MOST = 12;

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** A verdict as it was kept; undefined for what is none, which counts as nothing remembered. */
export function verdictFrom(value: unknown): Verdict | undefined {
  if (!isObject(value)) return undefined;
  const { environment, watched, signatures, answers, looks } = value;
  if (typeof environment !== "string" || !isObject(watched)) return undefined;
  if (!isObject(signatures) || !isObject(answers) || !isObject(looks)) return undefined;
  const { names, files, absent } = watched;
  const isSigned = [signatures["names"], signatures["files"]].every((one) =>
    one === null || typeof one === "string"
  );
  const isWhole = [names, files, absent].every(isStrings) && isSigned &&
    Object.values(looks).every(isLook) &&
    Object.values(answers).every((one) =>
      isObject(one) && (one["extent"] === "names" || one["extent"] === "files") &&
      typeof one["text"] === "string" && (one["at"] === null || typeof one["at"] === "number")
    );
  return isWhole ? value as unknown as Verdict : undefined;
}

function isLook(value: unknown): boolean {
  if (!isObject(value) || !isObject(value["read"])) return false;
  const { key, text, seal, at, state, read, signature, listing } = value;
  const { paths, absent, listed, names } = read;
  return [key, text, seal, state, signature, listing, names].every((one) =>
    typeof one === "string"
  ) && typeof at === "number" && [paths, absent, listed].every(isStrings);
}

/** What a directory holds, as one text. */
type Names = Awaited<ReturnType<Files["list"]>>;

function namesText(names: Names): string {
  return names.map(({ name, kind }) => `${name}\0${kind}`).join("\n");
}

/** What was read: relative to the clone where it lies there, else absolute. */
export interface Read {
  /** What was there, and what was not. */
  readonly paths: readonly string[];
  readonly absent: readonly string[];
  /** The git directories of which the names counted, and a hash of those. */
  readonly listed: readonly string[];
  readonly names: string;
}

/** The hash of the names in directories, as {@linkcode Read} has it. */
export async function namesIn(files: Files, directories: readonly string[]): Promise<string> {
  const texts: string[] = [];
  for (const directory of directories) texts.push(namesText(await files.list(directory)));
  return sha256(texts.join("\n\n"));
}

/** Notes what is read through its {@linkcode Trace.system}. */
export class Trace {
  /** A world in which reading is noted, and in which everything else spoils the trace. */
  readonly system: System;
  /** When it began, in milliseconds since the epoch. */
  readonly since: number;
  readonly #paths = new Set<string>();
  readonly #absent = new Set<string>();
  readonly #listed = new Map<string, string>();
  #isSpoilt = false;

  constructor(system: System) {
    this.since = system.clock.now();
    this.system = { ...system, files: this.#noting(system.files) };
  }

  /** Notes that something counted which is not noted here, such as an answer of git. */
  spoil(): void {
    this.#isSpoilt = true;
  }

  /** Whether something counted that is not noted here. */
  get isSpoilt(): boolean {
    return this.#isSpoilt;
  }

  /** What was read, relative to a directory where it lies there; null where that is not all that counted. */
  readIn(directory: string): Read | null {
    if (this.#isSpoilt || [...this.#absent].some((path) => this.#paths.has(path))) return null;
    const within = (path: string) =>
      path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
    return {
      // That a directory of which the names count is there, these say, too.
      paths: [...this.#paths].filter((path) => !this.#listed.has(path)).map(within),
      absent: [...this.#absent].map(within),
      listed: [...this.#listed.keys()].map(within),
      names: sha256([...this.#listed.values()].join("\n\n")),
    };
  }

  #noting(files: Files): Files {
    const spoiling = <A extends readonly unknown[], T>(call: (...args: A) => T) => (...args: A) => {
      this.spoil();
      return call(...args);
    };
    const others = Object.entries(files).map(([name, call]) => [name, spoiling(call)]);
    // A failure may have any reason, also one that is not on the disk.
    const trying = <T>(reading: Promise<T>) =>
      reading.catch((error) => {
        this.spoil();
        throw error;
      });
    const noting =
      <A extends readonly unknown[], T>(call: (path: string, ...rest: A) => Promise<T>) =>
      async (path: string, ...rest: A) => {
        const found = await trying(call(path, ...rest));
        (found === null || found === false ? this.#absent : this.#paths).add(path);
        return found;
      };
    return {
      ...Object.fromEntries(others) as unknown as Files,
      readText: noting(files.readText),
      readBytes: noting(files.readBytes),
      readPiece: noting(files.readPiece),
      hash: noting(files.hash),
      exists: noting(files.exists),
      stat: noting(files.stat),
      lstat: noting(files.lstat),
      readLink: noting(files.readLink),
      list: async (path) => {
        const found = await trying(files.list(path));
        // Each git that may write has a lock in its directory for a moment, so there the names count and not the stamp.
        if (found.some(({ name }) => name === "HEAD")) {
          const text = namesText(found);
          if ((this.#listed.get(path) ?? text) !== text) this.spoil();
          this.#listed.set(path, text);
          // What is empty may be missing.
        } else if (found.length > 0 || await files.exists(path)) this.#paths.add(path);
        else this.#absent.add(path);
        return found;
      },
      stamps: async (directory, paths) => {
        const found = await trying(files.stamps(directory, paths));
        for (const [index, path] of paths.entries()) {
          const isThere = found[index * STAMP_LENGTH] !== 0;
          (isThere ? this.#paths : this.#absent).add(join(directory, path));
        }
        return found;
      },
    };
  }
}
