/**
 * The parameters that commands share (CALL-4), and how a call's arguments are split into these and
 * the command's own.
 */

import type { z as Zod } from "zod";
import { AmofError } from "../base/error.ts";
import type { Fields } from "../base/object.ts";
import { type Door, type Mode, MODES } from "../base/policy/mode.ts";
import {
  type Command,
  type InputSchema,
  isDeprecated,
  isForTicket,
  isNetworked,
  isOnlyTyped,
  isUnlisted,
  type Known,
  lightly,
  type StoreReader,
  type ZodNamespace,
} from "../contract/mod.ts";
import { BASE, meansAll } from "../contract/input.ts";
import { cleanLine } from "../base/text/sanitize.ts";
import { didYouMean, meantText, shellWord } from "../base/text/words.ts";
import { type ArgumentIssue, argumentIssues } from "../base/text/issues.ts";
import type { Bound } from "../contract/place.ts";
import type { RunRecord } from "../state/store/mod.ts";

/** Longer command lines are not shown: nobody could read them. */
const LONGEST_LINE = 300;

/** The longest time that a transfer can be given. */
export const MOST_SECONDS = 999_999;

/** The shared arguments of a call. */
export interface CommonArguments {
  readonly ecosystem?: string;
  readonly ticket?: string;
  readonly mode?: Mode;
  readonly dry_run?: boolean;
  readonly cursor?: string;
  readonly confirm?: boolean;
  readonly confirm_name?: string;
  readonly confirmation_token?: string;
  /** How long one transfer may take, in seconds. */
  readonly timeout?: number;
}

/** The schema of the parameters a command shares with others; those it declares itself are left out. */
export function commonSchema(z: ZodNamespace, command: Command, own: InputSchema): Zod.ZodObject {
  const shape: Record<string, Zod.ZodType> = {};
  if (command.scope === "ecosystem") {
    shape["ecosystem"] = z.string().optional().describe("Else session's");
  }
  if (command.inTicket === "its workspace") {
    shape["ticket"] = z.string().optional().describe("Its workspace; main: the base");
  }
  shape["mode"] = z.enum(MODES).optional().describe("This call");
  if (command.kind === "query" && command.pages !== undefined) {
    shape["cursor"] = z.string().optional().describe("From next_cursor");
  }
  if (command.kind === "mutation") {
    const mayConfirm = command.confirm !== "none" || command.raised !== undefined;
    shape["dry_run"] = z.boolean().optional().describe("Preview only");
    if (command.confirm !== "type" && mayConfirm) {
      shape["confirm"] = z.boolean().optional().describe("Person agreed");
    }
    // Some inputs make a command ask for a typed name.
    if (command.confirm === "type" || command.raised !== undefined) {
      shape["confirm_name"] = z.string().optional().describe("Name a person typed");
    }
    if (mayConfirm) {
      shape["confirmation_token"] = z.string().optional().describe("Its token");
    }
  }
  if (isNetworked(command)) {
    shape["timeout"] = z.int().min(1).max(MOST_SECONDS).optional().describe(
      "Seconds that one transfer may take",
    );
  }
  for (const name of Object.keys(own.shape)) delete shape[name];
  return z.strictObject(shape);
}

/**
 * The ticket that a call names, be it by an argument of the command's own: what a command shows of a ticket is there. A
 * call for all tickets begins in the base workspace; throws `invalid_arguments` where it names one besides.
 */
export function ticketArgument(input: Fields, { ticket }: CommonArguments): NamedTicket | null {
  const own = input["ticket"] ?? input["ticket_id"];
  if (meansAll(input)) {
    if (ticket === undefined && own === undefined) return { id: BASE, own: false, all: true };
    throw new AmofError(
      "invalid_arguments",
      "Cannot use --all-tickets together with --ticket: it is about every ticket already",
      { hint: "Leave out one of them" },
    );
  }
  if (ticket !== undefined) return { id: ticket, own: false };
  return typeof own === "string" ? { id: own, own: true } : null;
}

/** A ticket that a call names. */
export interface NamedTicket {
  readonly id: string;
  /** Whether an argument of the command's own names it, which may mean a ticket of the base workspace. */
  readonly own: boolean;
  /** Set where every ticket is meant, and the base workspace. */
  readonly all?: true;
}

/** The arguments of a call, checked and split. */
interface ParsedArguments {
  readonly input: Readonly<Record<string, unknown>>;
  readonly common: CommonArguments;
}

/** The arguments of a call that are right and simple; null for others. */
function usualArguments(
  command: Command,
  args: Fields,
  door: Door,
): ParsedArguments | null {
  const own = lightly((z) => command.input(z));
  const common = own === null ? null : lightly((z) => commonSchema(z, command, own));
  if (own === null || common === null) return null;
  if (door !== "cli") refuseTyped(command, own, args);
  const mine: Record<string, unknown> = {};
  const shared: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value === null) return null;
    (Object.hasOwn(own.shape, name) ? mine : shared)[name] = value;
  }
  const read = own.safeParse(mine);
  const rest = common.safeParse(shared);
  if (!read.success || !rest.success) return null;
  return { input: read.data as Fields, common: rest.data as CommonArguments };
}

/**
 * Checks the arguments of a call. Throws `invalid_arguments` with `details.issues`, one per problem, each
 * with the path of the field.
 */
export async function parseArguments(
  command: Command,
  args: Readonly<Record<string, unknown>>,
  door: Door = "mcp",
): Promise<ParsedArguments> {
  const usual = usualArguments(command, args, door);
  if (usual !== null) return usual;
  const z = await import("../contract/zod.ts");
  const own = command.input(z);
  if (door !== "cli") refuseTyped(command, own, args);
  const common = commonSchema(z, command, own);
  const known = [...Object.keys(own.shape), ...Object.keys(common.shape)];
  const open = known.filter((name) => door === "cli" || !isOnlyTyped(own.shape[name] ?? {}));
  const found: ArgumentIssue[] = Object.keys(args).filter((name) => !known.includes(name)).map(
    (name) => {
      return {
        path: cleanLine(name, 60),
        problem: `is not one of its arguments${meantText(didYouMean(name, open))}`,
      };
    },
  );
  // A null means the same as an absent member: many callers send all members always.
  const pick = (names: readonly string[]) =>
    Object.fromEntries(
      names.filter((name) => Object.hasOwn(args, name) && args[name] !== null).map((
        name,
      ) => [name, args[name]]),
    );
  const given = pick(known);
  const mine = own.safeParse(pick(Object.keys(own.shape)));
  const shared = common.safeParse(pick(Object.keys(common.shape)));
  if (!mine.success) found.push(...argumentIssues(mine.error, given));
  if (!shared.success) found.push(...argumentIssues(shared.error, given));
  if (found.length === 0 && mine.success && shared.success) {
    return { input: mine.data as Record<string, unknown>, common: shared.data as CommonArguments };
  }
  const listed = [
    ...listedMembers({ ...own.shape, ...common.shape }, command),
    // What is wrong is known, even where it is shown nowhere else.
    ...found.flatMap(({ path }) => known.includes(path) ? [path] : []),
  ];
  throw wrongArguments(command, found, listed, door);
}

/** Makes up the id that all others are told. */
const NEW_TICKET = "amof_ticket_start";

/** The error of arguments, in the words of the door; `listed` are those that its tool shows. */
function wrongArguments(
  command: Command,
  found: readonly ArgumentIssue[],
  listed: readonly string[],
  door: Door,
): AmofError {
  const [first] = found;
  const problem = first?.problem ?? "are wrong";
  const [what, field, hint] = door === "cli"
    ? [
      `run amof ${command.path.join(" ")}`,
      asTyped(command, first?.path ?? ""),
      `${
        first?.path === "ticket_id" && problem === "is missing" && command.name !== NEW_TICKET
          ? "See which tickets there are, and which is active: amof ticket list\n"
          : ""
      }See: amof ${command.path.join(" ")} --help`,
    ]
    : [
      `call ${command.name}`,
      first?.path ?? "arguments",
      `Known arguments: ${[...new Set(listed)].join(", ")}`,
    ];
  return new AmofError("invalid_arguments", `Cannot ${what}: ${field} ${problem}`, {
    hint,
    details: {
      issues: door === "cli"
        ? found.map(({ path, problem }) => ({ path: asTyped(command, path), problem }))
        : found,
    },
  });
}

/** Throws for members that only a person gives, on the command line. */
function refuseTyped(
  command: Command,
  own: InputSchema,
  args: Readonly<Record<string, unknown>>,
): void {
  const typed = Object.keys(args).find((name) =>
    Object.hasOwn(own.shape, name) && (args[name] ?? null) !== null && isOnlyTyped(own.shape[name])
  );
  if (typed === undefined) return;
  throw new AmofError(
    "tool_not_available",
    `Cannot call ${command.name} with ${typed}: only a person at a terminal may decide that`,
    { hint: `A person does it in a terminal: ${typedLine(command, own, args)}` },
  );
}

/** A call as a person types it, without what says how it is agreed to; its page of help where it cannot be shown. */
function typedLine(command: Command, own: InputSchema, args: Fields): string {
  const texts = (name: string): string[] =>
    [args[name] ?? []].flat().map((value) => shellWord(String(value)));
  const first = (command.positionals ?? []).flatMap(texts);
  const behind = command.behind === undefined ? [] : texts(command.behind);
  const named = [...Object.keys(own.shape), "ecosystem", "ticket"].filter((name) =>
    name !== command.behind && command.positionals?.includes(name) !== true &&
    Object.hasOwn(args, name) && args[name] !== false
  ).flatMap((name) =>
    args[name] === true
      ? [asTyped(command, name)]
      : texts(name).flatMap((text) => [asTyped(command, name), text])
  );
  const words = ["amof", ...command.path];
  const line = [...words, ...first, ...named, ...behind.length === 0 ? [] : ["--", ...behind]]
    .join(" ");
  const isShown = cleanLine(line, LONGEST_LINE) === line &&
    Object.values(args).flat().every((value) => value === null || typeof value !== "object");
  return isShown ? line : `${words.join(" ")} --help`;
}

/** The path of an input member as a person types it: `--repo` for `repos.0`, `NAME` for a positional. */
export function asTyped(
  command: Pick<Command, "positionals" | "flags" | "behind">,
  path: string,
): string {
  const [member = ""] = path.split(".");
  if (member === "") return "The arguments";
  if (member === command.behind) return `-- ${member.toUpperCase()}`;
  return command.positionals?.includes(member)
    ? member.toUpperCase()
    : `--${command.flags?.[member] ?? member.replaceAll("_", "-")}`;
}

// What a session that is bound to a ticket may call, and what it sees of the runs (SCOPE-4).

function outside(command: Known, { ecosystem, ticket }: Bound, what: string): AmofError {
  return new AmofError(
    "ticket_scope",
    `Cannot call ${command.name} ${what}: this server is bound to ticket ${ticket} of "${ecosystem}"`,
    {
      hint: "Leave out ecosystem and ticket\nFor more a person starts a server without --ticket",
      details: { ecosystem, ticket_id: ticket },
    },
  );
}

/** Throws `ticket_scope` for a call that is about anything but the ticket that its session is bound to. */
export function requireWithin(
  bound: Bound | null,
  command: Known,
  { ecosystem, ticket }: {
    readonly ecosystem: string | undefined;
    readonly ticket: NamedTicket | null;
  },
): void {
  if (bound === null) return;
  if (!isForTicket(command)) throw outside(command, bound, "here");
  if (ecosystem !== undefined && ecosystem !== bound.ecosystem) {
    throw outside(command, bound, `for ecosystem "${cleanLine(ecosystem, 60)}"`);
  }
  if (ticket !== null && ticket.id !== bound.ticket) {
    const asked = ticket.all ? "all tickets" : `ticket "${cleanLine(ticket.id, 60)}"`;
    throw outside(command, bound, `for ${asked}`);
  }
}

/** The store as such a session sees it: of the runs those of its ticket. */
export function boundReader(
  reader: StoreReader,
  root: string,
  { ecosystem, ticket }: Bound,
): StoreReader {
  const { runs } = reader;
  const isOwn = (run: RunRecord) =>
    run.root === root && run.ecosystem === ecosystem && run.ticket === ticket;
  return {
    ...reader,
    events: reader.events,
    audit: reader.audit,
    approvals: reader.approvals,
    trust: reader.trust,
    environments: reader.environments,
    runs: {
      get: (id) => {
        const run = runs.get(id);
        return run !== null && isOwn(run) ? run : null;
      },
      byPrefix: (prefix) => runs.byPrefix(prefix).filter(isOwn),
      list: (filter) => runs.list({ ...filter, root, ecosystem, ticket }),
      holders: (locks) => runs.holders(locks).filter(isOwn),
      activeCounts: () => new Map(),
      typicalSeconds: (...of) => runs.typicalSeconds(...of),
      totals: () => runs.totals(root, 0),
      prunable: () => ({ prunable: 0, total: 0 }),
    },
  };
}

// Which arguments of a tool its list shows: every word of it is paid for in every conversation (MCP-9).

/**
 * Members that are accepted without being listed. A token has a plainer way, `amof_confirm`. A mode makes no
 * difference to a command that changes nothing, and a dry run is mode plan. Few other commands ask for a typed name.
 * Whoever needs more time is told so by the error. What costs more processes is for readers of the documents.
 */
function isKnownAnyway(name: string, command: Command): boolean {
  const acts = command.kind === "mutation" || command.kind === "redeem";
  return name === "confirmation_token" || (name === "mode" && !acts) ||
    (name === "confirm_name" && command.confirm !== "type") ||
    (name === "timeout" && isNetworked(command)) ||
    ((name === "dry_run" || name === "long") && command.mcp !== "asked for");
}

/**
 * Members of the usual tools that select repositories and are accepted without being listed. The description
 * has their tags, and the names in its answer can be given to all others. An install usually takes all.
 */
function unlistedSelection(command: Command): readonly string[] {
  if (command.mcp === "asked for") return [];
  const isPart = command.kind !== "mutation" || command.needs === "a workspace";
  return isPart ? ["tags"] : ["repos", "tags", "only"];
}

/** The names of those members of an input, as a schema or as JSON Schema, that are listed. */
export function listedMembers(
  members: Readonly<Record<string, unknown>>,
  command: Command,
): readonly string[] {
  const silent = Object.hasOwn(members, "only") ? unlistedSelection(command) : [];
  return Object.entries(members).filter(([name, member]) =>
    !silent.includes(name) && !isKnownAnyway(name, command) &&
    !(isUnlisted(member) && command.mcp !== "asked for") && !isDeprecated(member) &&
    !isOnlyTyped(member)
  ).map(([name]) => name);
}
