/**
 * Remembers what git answered about clones, and gives that again as long as everything stands that the answer depended on.
 *
 * What a staged tree equals, or whether a file is ignored, is never worked out here: only git says it. Its answers are kept
 * outside of clones, in a file for the clones of each directory; a file that cannot be read is nothing remembered. Each
 * use asks git about one of the clones all the same, in turn, and a difference ends the memory for that clone.
 */

import { basename, dirname, resolve } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import type { ProcessResult, System } from "../../base/system/mod.ts";
import { type Book, Books } from "./books.ts";
import type { Outside } from "./outside.ts";
import { type Ask, type EnvironmentState, GitEnvironment } from "./environment.ts";
import {
  answerIn,
  areThere,
  type Extent,
  isRepeated,
  isSettled,
  type KeptLook,
  lookIn,
  namesIn,
  type Read,
  signatureOf,
  type StampFacts,
  stampFacts,
  stateOf,
  type Trace,
  type Verdict,
  withAnswer,
  withNote,
} from "../files/signature.ts";

/** What is asked of git in a clone. */
interface Question {
  /** The clone's directory. */
  readonly clone: string;
  /** The arguments of git that decide its answer. */
  readonly args: readonly string[];
  readonly extent: Extent;
  readonly ask: () => Promise<ProcessResult>;
  /** Asks git something else there. */
  readonly run: Ask;
  /** What notes on what the one who asks goes by. */
  readonly trace?: Trace | undefined;
}

/** What came of a look, which is remembered as long as everything stands that it went by. */
interface Looked {
  readonly trace: Trace;
  readonly kind: string;
  readonly key: string;
  readonly text: string;
  readonly seal: string;
}

/** How often git was spared. */
interface VerdictCounts {
  /** Answers and looks that were given from memory, and those of them that git was asked for all the same. */
  readonly remembered: number;
  readonly compared: number;
}

/** Longer answers are not kept. */
const MOST_TEXT = 16_384;
/** How long git is asked about a clone that is not understood before it is read again. */
const ASKED_MS = 600_000;
/** Of fewer clones none is compared at some turns, so that the memory of one is worth having. */
const FEWEST_TURNS = 8;
/** After so many uses the turns begin anew. */
const MOST_TURNS = 100_000;

/** The memory of one call of a command. */
export class Verdicts {
  readonly #system: System;
  readonly #warn: (message: string) => void;
  readonly #books: Books;
  readonly #changed = new Set<string>();
  readonly #turns = new Map<string, Promise<string | undefined>>();
  readonly #around: GitEnvironment;
  #keeping = Promise.resolve();
  #counts = { remembered: 0, compared: 0 };
  #all = false;

  /** `directory` is where books are kept; `system` one that can be changed. */
  constructor(system: System, directory: () => string, warn: (message: string) => void) {
    this.#system = system;
    this.#books = new Books(system, directory);
    this.#around = new GitEnvironment(system);
    this.#warn = warn;
  }

  /** From now on git is asked about every clone, and its answer compared. */
  compareAll(): void {
    this.#all = true;
  }

  get counts(): VerdictCounts {
    return this.#counts;
  }

  /** Whether git is always asked about a clone, because it said something else than was remembered. No process. */
  async isOff(clone: string): Promise<boolean> {
    return (await this.#books.of(dirname(clone))).off.has(basename(clone));
  }

  /** What git says, or the text of it that is remembered and has no turn to be compared, which takes no process. */
  async answer(question: Question): Promise<ProcessResult | string> {
    const { clone, args, ask, trace } = question;
    const name = basename(clone);
    const key = sha256(args.join("\0")).slice(0, 20);
    const since = this.#system.clock.now();
    // Where the memory cannot be used, everything is as if there were none.
    const book = await this.#books.of(dirname(clone)).catch(() => null);
    if (book === null || book.off.has(name) || (book.asked.get(name) ?? 0) > since) {
      trace?.spoil();
      return ask();
    }
    const verdict = book.clones.get(name);
    const text = await this.#recall(question, book, { key, since }).catch(() => null);
    if (verdict !== undefined && text !== null) {
      this.#counts.remembered++;
      const compares = this.#all || await this.#turn(clone, book) === name;
      return compares ? await this.#compare(question, verdict, text) : text;
    }
    const result = await ask();
    await this.#learn(question, book, { key, since, result }).catch(() => {});
    if (answerIn(book.clones.get(name), key, since) === null) trace?.spoil();
    return result;
  }

  /**
   * The last look at a clone, where everything stands that it went by; else null, and at the clone's turn, so that it is
   * compared. No process.
   */
  async lastLook(clone: string, kind: string, run: Ask): Promise<KeptLook | null> {
    const book = await this.#books.of(dirname(clone)).catch(() => null);
    const look = lookIn(book?.clones.get(basename(clone)), kind);
    if (book === null || look === undefined || this.#all) return null;
    const stands = await this.#lookStands(clone, look, { book, run }).catch(() => false);
    if (!stands || await this.#turn(clone, book) === basename(clone)) return null;
    this.#counts.remembered++;
    return look;
  }

  /**
   * Remembers what came of a look, where its trace has everything that it went by. Where something else came of the one
   * before, and nothing has changed, a memory is wrong.
   */
  async keepLook(clone: string, { trace, kind, key, text, seal }: Looked, run: Ask): Promise<void> {
    const { since } = trace;
    const read = trace.readIn(clone);
    const name = basename(clone);
    const book = await this.#books.of(dirname(clone)).catch(() => null);
    const verdict = book?.clones.get(name);
    if (book === null || verdict === undefined) return;
    const before = lookIn(verdict, kind);
    if (
      before?.key === key && before.seal === seal &&
      await this.#lookStands(clone, before, { book, run })
    ) {
      if (before.text !== text) this.#wrong(clone, book, "look");
      return;
    }
    const state = stateOf(verdict);
    if (read === null || state === null || text.length > MOST_TEXT) return;
    const around = await this.#around.at(since, run, book);
    if (around === null || around.environment !== verdict.environment) return;
    const { watched } = verdict;
    // What is watched for the answers of git needs not be named twice.
    const own: Read = {
      ...read,
      paths: read.paths.filter((one) => !watched.names.includes(one) && one !== ""),
      absent: read.absent.filter((one) => !watched.absent.includes(one)),
    };
    const [stamps, listings] = await this.#stampsOfLook(clone, verdict, own);
    const isSettledSince = (facts: StampFacts) => facts.together && isSettled(facts, since);
    const isSure = areThere(stamps) && areThere(listings) &&
      isSettledSince(stampFacts(stamps)) && isSettledSince(stampFacts(listings)) &&
      isSettled(around.facts, Math.min(since, around.at)) &&
      await this.#system.files.areAbsent(clone, own.absent) &&
      await this.#stands(clone, verdict, "files");
    if (!isSure) return;
    const look: KeptLook = {
      ...{ key, text, seal, at: since, state, read: own },
      signature: signatureOf(stamps),
      listing: signatureOf(listings),
    };
    book.clones.set(name, { ...verdict, looks: { ...verdict.looks, [kind]: look } });
    this.#changed.add(clone);
  }

  /** What the system notes of all that a look goes by, and of the directories of which only the names counted. */
  async #stampsOfLook(
    clone: string,
    { watched }: Verdict,
    { paths, listed }: Read,
  ): Promise<[stamps: Int32Array, listings: Int32Array]> {
    const { files } = this.#system;
    return [
      await files.stamps(clone, [...watched.names, ...watched.files, ...paths]),
      await files.stamps(clone, listed),
    ];
  }

  async #lookStands(
    clone: string,
    { read, ...look }: KeptLook,
    { book, run }: { readonly book: Book; readonly run: Ask },
  ): Promise<boolean> {
    const now = this.#system.clock.now();
    const verdict = book.clones.get(basename(clone));
    // A clock that was set back gives new changes the times of old ones.
    if (verdict === undefined || look.at > now || stateOf(verdict) !== look.state) return false;
    const around = await this.#around.at(now, run, book);
    if (around?.environment !== verdict.environment) return false;
    const [stamps, listings] = await this.#stampsOfLook(clone, verdict, read);
    return signatureOf(stamps) === look.signature &&
      await this.#system.files.areAbsent(clone, [...verdict.watched.absent, ...read.absent]) &&
      (signatureOf(listings) === look.listing ||
        await namesIn(this.#system.files, read.listed.map((one) => resolve(clone, one))) ===
          read.names);
  }

  /** The answer to a question that is remembered and still holds; null where git is to be asked. */
  async #recall(
    { clone, extent, run }: Question,
    book: Book,
    { key, since }: { readonly key: string; readonly since: number },
  ): Promise<string | null> {
    const verdict = book.clones.get(basename(clone));
    const answer = answerIn(verdict, key, since);
    if (verdict === undefined || answer === null) return null;
    const around = await this.#around.at(since, run, book);
    return around?.environment === verdict.environment && await this.#stands(clone, verdict, extent)
      ? answer.text
      : null;
  }

  /**
   * Remembers an answer that git just gave. What it depends on is only looked for when git says the same for
   * the second time. So the first look costs nothing more, nor do looks at a clone in which somebody is at
   * work.
   */
  async #learn(
    { clone, extent, run }: Question,
    book: Book,
    { key, since, result }: {
      readonly key: string;
      readonly since: number;
      readonly result: ProcessResult;
    },
  ): Promise<void> {
    const { exitCode, stderr, stdout, truncated } = result;
    const isPlain = exitCode === 0 && stderr === "" && !truncated && stdout.length <= MOST_TEXT &&
      // Names that are no UTF-8; attributes that only the index has.
      !stdout.includes("\uFFFD") && !stdout.includes(".gitattributes");
    if (!isPlain) return;
    const name = basename(clone);
    const verdict = book.clones.get(name);
    const note = (next: Verdict) => {
      // What was remembered last stands last, and is forgotten last.
      book.clones.delete(name);
      book.clones.set(name, next);
      this.#changed.add(clone);
    };
    if (!isRepeated(verdict, key, stdout)) {
      return note(withNote(verdict, key, { extent, text: stdout }));
    }
    const around = await this.#around.at(since, run, book);
    if (around === null) return;
    const next = await this.#sign(clone, verdict, { around, since });
    if (next === null) {
      book.asked.set(name, since + ASKED_MS);
      this.#changed.add(clone);
      return;
    }
    const { names, files } = next.signatures;
    if (names === null || (extent === "files" && files === null)) return;
    note(withAnswer(verdict, next, key, { extent, text: stdout, at: since }));
  }

  /** Keeps what is new, and waits for what is being kept: nothing is written after a command has ended. */
  keep(): Promise<void> {
    this.#around.forget();
    this.#keeping = this.#keeping.then(() => this.#keep());
    return this.#keeping;
  }

  async #keep(): Promise<void> {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const parent of new Set(changed.map((clone) => dirname(clone)))) {
      const names = changed.filter((clone) => dirname(clone) === parent).map((one) =>
        basename(one)
      );
      // What cannot be kept is asked again.
      await this.#books.write(parent, names).catch(() => {});
    }
  }

  async #stands(
    clone: string,
    { signatures, watched }: Verdict,
    extent: Extent,
  ): Promise<boolean> {
    if (!await this.#system.files.areAbsent(clone, watched.absent)) return false;
    for (const part of extent === "names" ? ["names"] as const : ["names", "files"] as const) {
      const stamps = await this.#stamps(clone, watched[part]);
      if (stamps === null || signatureOf(stamps) !== signatures[part]) return false;
    }
    return true;
  }

  /** What the system notes of files; null where it does not tell. */
  #stamps(clone: string, names: readonly string[]): Promise<Int32Array | null> {
    return this.#system.files.stamps(clone, names).catch(() => null);
  }

  /**
   * What an answer that git gave since a moment depends on. The files are the same as before where nothing of
   * them has changed, because then no others can have come. Null where it is not understood.
   */
  async #sign(
    clone: string,
    before: Verdict | undefined,
    { around, since }: { readonly around: EnvironmentState; readonly since: number },
  ): Promise<Pick<Verdict, "environment" | "watched" | "signatures"> | null> {
    const { environment, outside } = around;
    const isSame = before !== undefined && before.environment === environment &&
      await this.#stands(clone, before, "files");
    const watched = isSame ? before.watched : await this.#watched(clone, outside);
    if (watched === null) return null;
    const sign = async (part: Extent) => {
      const stamps = await this.#stamps(clone, watched[part]);
      if (stamps === null) return null;
      const facts = stampFacts(stamps);
      const isSure = isSettled(facts, since) &&
        isSettled(around.facts, Math.min(since, around.at)) &&
        (part === "names" || facts.together);
      return isSure ? signatureOf(stamps) : null;
    };
    const signatures = { names: await sign("names"), files: await sign("files") };
    return { environment, watched, signatures };
  }

  async #watched(clone: string, outside: Outside): Promise<Verdict["watched"] | null> {
    const { Watcher } = await import("./watched.ts");
    return await new Watcher(this.#system, outside).watched(clone);
  }

  /** Asks git although its answer is remembered. Where it says something else, and nothing has changed meanwhile, a memory is wrong. */
  async #compare(
    { clone, extent, args, ask }: Question,
    verdict: Verdict,
    text: string,
  ): Promise<ProcessResult> {
    const result = await ask();
    const isSound = result.exitCode === 0 && !result.truncated && result.stderr === "";
    if (isSound) this.#counts.compared++;
    if (isSound && result.stdout === text || !await this.#stands(clone, verdict, extent)) {
      return result;
    }
    const book = await this.#books.of(dirname(clone));
    book.clones.delete(basename(clone));
    this.#changed.add(clone);
    if (isSound) this.#wrong(clone, book, `git ${args[0] ?? ""}`);
    return result;
  }

  /** Switches the memory off for a clone of which it was wrong, and says so. */
  #wrong(clone: string, book: Book, what: string): void {
    const name = basename(clone);
    book.clones.delete(name);
    book.off.set(name, this.#system.clock.now());
    this.#changed.add(clone);
    this.#warn(
      `${name}: git says something else than was remembered of it, so it is always asked from now on (${what})`,
    );
  }

  /** Which clone's turn it is to be compared. Each use adds a byte to a file, whose size is the turn. */
  #turn(clone: string, { clones }: Book): Promise<string | undefined> {
    const place = `${this.#books.place(dirname(clone))}.turns`;
    let turn = this.#turns.get(place);
    if (turn === undefined) {
      turn = (async () => {
        const { files } = this.#system;
        const size = (await files.stat(place))?.size ?? 0;
        if (size > MOST_TURNS) await files.remove(place);
        await files.append(place, ".", { mode: 0o600 });
        return [...clones.keys()][size % Math.max(clones.size, FEWEST_TURNS)];
        // Where nothing can be kept, every answer is compared.
      })().catch(() => undefined);
      this.#turns.set(place, turn);
    }
    return turn;
  }
}
