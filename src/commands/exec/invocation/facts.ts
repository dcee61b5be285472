/** What is known of an invocation before it is run. */

import { GIT_HINTS } from "../../../base/error_codes.ts";
import type { Invocation, PassedVariables } from "../../../workspace/programs/mod.ts";
import { labelOf, type OfTicket } from "../../selection/areas.ts";
import type { Order } from "../../../workspace/manifest/mod.ts";
import { AmofError } from "../../../base/error.ts";
import { defined } from "../../../base/object.ts";
import { few } from "../../../base/text/words.ts";
import { suspectsText } from "../../../workspace/seals/mod.ts";
import type { CommandContext } from "../../../contract/mod.ts";
import { type Authorship, Bundles } from "../../../git/write/mod.ts";

/** Where an invocation runs that is handed to an engine. What a consent is bound to. */
interface EngineFacts {
  readonly name: string;
  readonly kind: string;
  /** What the engine has, for people. */
  readonly found: string;
  readonly shards: number;
  /** How many shards run at once. */
  readonly parallel: number;
  /** For each shard. */
  readonly time_limit_s: number;
}

/** Why nothing is begun in a workspace. */
export interface Elsewhere {
  /** `busy`: a run works there; `begun`: its ticket was started when this run had begun already. */
  readonly reason: "busy" | "begun";
  readonly repo: null;
  /** The run that works there. */
  readonly run?: string;
}

/** One repository that an invocation is for. */
export interface ExecPlace extends OfTicket {
  /** Why nothing is begun there although it was meant; absent where nothing stands in the way. */
  readonly elsewhere?: Elsewhere;
  readonly name: string;
  /** Absolute; empty on an engine. */
  readonly directory: string;
  /** The workspace around it, absolute; empty on an engine. */
  readonly workspace: string;
  /** From 1; null where order does not matter. */
  readonly layer: number | null;
  readonly cloned: boolean;
  /** What somebody has to look at before anything that calls git is started there, by name (SEAL-8). */
  readonly untrusted: readonly string[];
  /** What an engine clones in place of it; null where it is the clone in the workspace. */
  readonly remote:
    | {
      readonly url: string;
      readonly branch: string;
      /** As in the manifest; absent for all of the history. */
      readonly clone?: string;
    }
    | null;
}

/** What tells a place apart from all others of a run. */
export function placeLabel(place: Pick<ExecPlace, "name" | "ticket">): string {
  return labelOf(place, place.name);
}

/** Everything a consent is bound to, and what a repetition goes by. Of variables only the names. */
export interface ExecFacts {
  readonly task: string | null;
  readonly argv: readonly string[] | null;
  readonly shell: string | null;
  readonly more: readonly string[];
  readonly env: readonly string[];
  /** The words that an approval is bound to. */
  readonly selection: Invocation["selection"];
  /** What an approval is for. */
  readonly hash: string;
  readonly order: Order;
  /** For each repository; null for as long as it likes. */
  readonly time_limit_s: number | null;
  readonly keep_going: boolean;
  readonly fail_fast: boolean;
  readonly environment: PassedVariables;
  /** The engine that runs it; null for the workspace on this machine. */
  readonly far: EngineFacts | null;
  /** The run whose array it goes on with; null where it begins. */
  readonly resumes: string | null;
  readonly repos: readonly ExecPlace[];
}

/** What is run, of facts about it. */
export function invocationOfFacts(facts: ExecFacts | Omit<ExecFacts, "hash">): Invocation {
  const { task, argv, shell, more, env, selection, far } = facts;
  return { task, argv, shell, more, env, selection, engine: far?.name ?? null };
}

// Clones in which nothing may be run before somebody has looked (SEAL-8).

/** A clone in which something is to be run. */
type RunPlace = Pick<ExecPlace, "ticket" | "name" | "untrusted">;

/** The words that name the first of some clones, and the others of its workspace. */
function trustWords(changed: readonly RunPlace[]): string {
  const ticket = changed[0]?.ticket;
  const names = changed.filter((place) => place.ticket === ticket).map(({ name }) => name);
  return [...(ticket ? ["--ticket", ticket] : []), ...names].join(" ");
}

/**
 * The error of clones in which git would run what nobody has looked at; null where there are none. Nearly every program
 * that is run in a repository calls git, and would run it with the rights of whoever started that (SEAL-8). `line` is
 * what would be run, as it is shown.
 */
export function untrustedClones(
  line: string,
  repos: readonly RunPlace[],
  { selects }: {
    /** Whether the call says in which repositories it runs. */
    readonly selects: boolean;
  },
): AmofError | null {
  const changed = repos.filter(({ untrusted }) => untrusted.length > 0);
  const [first] = changed;
  if (first === undefined) return null;
  const names = changed.map(placeLabel);
  const out = [...new Set(changed.map(({ name }) => name))];
  const leavesAny = selects && repos.some(({ name }) => !out.includes(name));
  return new AmofError(
    "clone_untrusted",
    `Cannot run "${line}" in ${few(names, 5)}: in "${names[0]}" ${suspectsText(first.untrusted)}`,
    {
      hint: `A person looks at it and approves it in a terminal: amof repo trust ${
        trustWords(changed)
      }${
        leavesAny
          ? `\nLeave ${out.length === 1 ? "it" : "them"} out: the same command with --repo '${
            out.map((name) => `!${name}`).join(",")
          }'`
          : ""
      }`,
      details: {
        repos: changed.map(({ ticket, name, untrusted }) => ({
          ...defined({ ticket }),
          name,
          untrusted,
        })),
      },
    },
  );
}

// Who the commits are by that this program makes.

/** Who commits are by; throws where nobody has told git. */
export async function requireAuthor(
  ctx: CommandContext,
): Promise<Pick<Authorship, "name" | "email">> {
  const author = await ctx.git.at(ctx.root).part(Bundles).author();
  if (author !== null) return author;
  throw new AmofError(
    "invalid_arguments",
    "Cannot make commits: git does not know who commits here",
    {
      hint: GIT_HINTS.identity,
    },
  );
}
