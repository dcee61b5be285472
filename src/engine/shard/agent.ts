/**
 * Runs a program once in a directory that is like that of a ticket, and sends home what it leaves there as commits: the
 * action `agent` (SHARD-8).
 */

import { join } from "@std/path";
import { findMaker, type Maker, planBox, withBox } from "../../machine/box/mod.ts";
import { AmofError } from "../../base/error.ts";
import { Git, type Repository } from "../../git/mod.ts";
import { Bundles } from "../../git/write/mod.ts";
import { sha } from "../../base/ids.ts";
import { defined } from "../../base/object.ts";
import { layoutOf } from "../../state/store/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { maskSecrets } from "../../base/text/mask.ts";
import { count, sizeText } from "../../base/text/words.ts";
import type { AgentAction, TicketPlace } from "../plan/plan.ts";
import type { Ending, ItemContext, Numbered } from "./item.ts";
import { type ItemEnd, NO_BOX, type ShardChange } from "./line.ts";
import { cloned, NOTHING, Output, sendHome, stateOf } from "./work.ts";

/** How long a program may take to obey, in milliseconds. */
const GRACE_MS = 5_000;
/** How long it may take to pack what is there, in milliseconds: also when everything else is over. */
const PACKING_MS = 90_000;
/** No repository sends more commits. */
const MOST_COMMITS = 10_000;

/** An item with what the work on it needs. */
type Part = Numbered & { readonly work: ItemContext };

interface Ready extends Part {
  readonly place: TicketPlace;
  /** The clone, absolute. */
  readonly directory: string;
  readonly base: string;
}

/** How the program is started: what stands before it, what it finds besides, and what reads its clones afterwards. */
interface AgentStart {
  readonly vector: readonly string[];
  readonly variables: Readonly<Record<string, string | null>>;
  readonly system: System;
}

/** Works on all items at once; answers how each ended, whatever happened. */
export async function workTogether(
  action: AgentAction,
  parts: readonly Part[],
): Promise<readonly ItemEnd[]> {
  const [first] = parts;
  if (first === undefined) return [];
  const { work } = first;
  const { clock } = work.system;
  const begun = clock.now();
  const directory = join(work.scratch, "ticket");
  await work.system.files.makeDirectory(directory, { mode: 0o700 });
  const end = (ending: Ending, { at, item }: Numbered): ItemEnd => ({
    i: at,
    repo: item.repo,
    seconds: Math.round((clock.now() - begun) / 100) / 10,
    ...ending,
  });
  const ready = await clones(parts, directory);
  if ("ending" in ready) return parts.map((part) => end(ready.ending, part));
  const maker: Maker | null = action.box === null
    ? null
    : await findMaker(work.system, action.box.network);
  if (maker?.kind === "none") {
    const why = `${NO_BOX}${maker.reason}`;
    return parts.map((part) => end({ ...NOTHING, state: "refused", why }, part));
  }
  const run = async (way: AgentStart) => {
    const ending = await runProgram(action, { work, directory, way });
    const ends: ItemEnd[] = [];
    for (const part of ready.all) {
      const change = await changeOf(action, part, way.system);
      ends.push(end({ ...ending, commit: part.base, change }, part));
    }
    return ends;
  };
  if (maker === null || action.box === null) {
    return await run({ vector: action.argv, variables: work.marks, system: work.system });
  }
  const { network, hide } = action.box;
  const layout = layoutOf(work.system.env);
  const plan = await planBox(work.system, layout, {
    directory,
    guarded: [],
    curtains: [],
    needed: work.mirrors === null ? [] : [work.mirrors],
    network,
    paths: { hide: [...hide, "/credentials"], show: [], write: [] },
  });
  return await withBox(
    work.system,
    { plan, maker, layout },
    ({ vector, variables, inside }) =>
      run({
        // Only what runs inside is marked: what keeps the box goes when that has gone.
        vector: vector(action.argv, { terminal: false, cwd: directory, variables: work.marks }),
        variables,
        // The settings of a clone say what git runs, and the program may have written them.
        system: inside,
      }),
  );
}

/** Makes all clones; where one cannot be made, that is how all items end. */
async function clones(
  parts: readonly Part[],
  directory: string,
): Promise<{ readonly all: readonly Ready[] } | { readonly ending: Ending }> {
  const all: Ready[] = [];
  for (const part of parts) {
    const { item, work } = part;
    const { place, commit } = item;
    if (place === undefined || commit === null) {
      throw new TypeError("Cannot clone what has no place in a ticket");
    }
    const clone = join(directory, place.path);
    const made = await cloned(work, item, clone);
    if ("ending" in made) {
      const why = `${item.repo}: ${made.ending.why ?? "it could not be cloned"}`;
      return { ending: { ...made.ending, why } };
    }
    all.push({ ...part, place, directory: clone, base: commit });
  }
  return { all };
}

/** Runs the program to its end, or ends it politely. */
async function runProgram(
  { timeLimit, variables: names, told: facts }: AgentAction,
  { work, directory, way }: {
    readonly work: ItemContext;
    readonly directory: string;
    readonly way: AgentStart;
  },
): Promise<Ending> {
  const { system: { processes, env }, mark } = work;
  const told = new Output(work);
  const limit = timeLimit === null ? null : AbortSignal.timeout(timeLimit * 1_000);
  const over = AbortSignal.any([work.signal, ...(limit === null ? [] : [limit])]);
  const ends = new AbortController();
  let ended: Promise<void> | null = null;
  const stop = () =>
    void (ended ??= processes.endMarked(mark, { graceMs: GRACE_MS })
      .then(() => ends.abort()));
  over.addEventListener("abort", stop, { once: true });
  if (over.aborted) ends.abort();
  const [command = "", ...args] = way.vector;
  const passed = Object.fromEntries(names.map((each) => [each, env.get(each)]));
  const result = await processes.run({
    command,
    args,
    cwd: directory,
    clearEnv: true,
    env: {
      ...defined(passed),
      ...facts,
      ...way.variables,
      AMOF_TICKET_DIR: directory,
      PWD: directory,
    },
    ownGroup: true,
    graceMs: GRACE_MS,
    signal: ends.signal,
    maxOutputBytes: 1,
    onLine: (stream, line) => told.line(stream, line),
  });
  over.removeEventListener("abort", stop);
  await ended;
  await processes.endMarked(mark);
  const timedOut = limit?.aborted === true && !work.signal.aborted;
  const cancelled = work.signal.aborted && !timedOut;
  return {
    ...stateOf(work, { ...result, timedOut, cancelled }),
    signal: result.signal,
    commit: null,
    tail: told.tail,
  };
}

/** Packs what a clone has that was not there before, and sends it home. */
async function changeOf(action: AgentAction, part: Ready, system: System): Promise<ShardChange> {
  if (part.place.readonly) return { made: "nothing" };
  try {
    const git = new Git(system, AbortSignal.timeout(PACKING_MS));
    return await packed(action, part, git.at(part.directory, part.item.repo));
  } catch (error) {
    // The program can leave a clone behind in which git cannot work any more.
    if (!(error instanceof AmofError)) throw error;
    return { made: "unreadable", why: maskSecrets(error.message) };
  }
}

async function packed(
  { author, message, most_bytes: most }: AgentAction,
  { base: from, directory, work }: Ready,
  clone: Repository,
): Promise<ShardChange> {
  const base = sha(from);
  const bundles = clone.part(Bundles);
  const head = await clone.refs.resolve("HEAD") ?? base;
  const isChain = head === base || await bundles.chain(base, head, MOST_COMMITS) !== null;
  const parent = isChain ? head : base;
  const index = join(directory, ".git", "amof-index");
  const staged = await bundles.stage(parent, index);
  const tip = staged.changes.length === 0
    ? parent
    : await bundles.commit(staged.tree, { parent, author, message });
  const others = await bundles.besides(tip);
  const note = !isChain
    ? "its commits did not all follow the one it began at: what came of them is one commit"
    : others > 0
    ? `${count(others, "commit")} of other branches or stashes stayed there`
    : "";
  if (tip === base) return { made: "nothing", ...(note === "" ? {} : { note }) };
  const pack = await bundles.packSince(base, tip, most);
  if (pack === null) {
    return { made: "too_large", why: `its commits have more than ${sizeText(most)}` };
  }
  const hash = sendHome(pack, work.send);
  return { made: "commits", commit: tip, sha256: hash, bytes: pack.length, note };
}
