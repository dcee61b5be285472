/**
 * What the declarations of all commands about StockTrim have in common: the verbs that mean the same for each of its
 * nouns, and the reach of a call.
 */

import type { Fields } from "../../base/object.ts";
import type { Details } from "../../base/text/parts.ts";
import { type Cell, table } from "../../base/text/table.ts";
import { count, shellWord } from "../../base/text/words.ts";
import {
  type CommandContext,
  type ConfirmKind,
  type Mutation,
  mutation,
  type Preview,
  type Query,
  query,
  type ZodNamespace,
} from "../../contract/mod.ts";
import type { StockTrim } from "./client/client.ts";
import type { ChangeOutcome } from "./client/transport.ts";
import { shown } from "./shown.ts";
import { AmofError } from "../../base/error.ts";

// What becomes of a change: done, failed, or nobody knows, which is said as a failure and never tried again (STOCKTRIM-9).

/** There is no such thing. `reader` is the command that lists what there is. */
export function notFound(what: string, name: string, reader: string): AmofError {
  return new AmofError("stocktrim_not_found", `Cannot find the ${what} "${shown(name)}"`, {
    hint: `See what there is: ${reader}`,
    details: { what, name: shown(name) },
  });
}

/** There is such a thing already, and it is not written over. */
export function alreadyThere(what: string, name: string, hint: string): AmofError {
  return new AmofError(
    "stocktrim_exists",
    `Cannot create the ${what} "${shown(name)}": there is one, and it is not written over`,
    { hint, details: { what, name: shown(name) } },
  );
}

/** A new one has no name, which it needs. */
function unnamed(what: string, code: string): AmofError {
  return new AmofError("invalid_arguments", `Cannot create ${what} "${shown(code)}" unnamed`, {
    hint: "Name it with --name NAME, or change one that exists with --update",
    details: { issues: [{ path: "name", problem: `is needed for a new ${what}` }] },
  });
}

/** What the service then showed of the record; throws for everything that is not done. `reader` tells how it stands. */
export function requireDone<T>(outcome: ChangeOutcome<T>, reader: string): T | null {
  if (outcome.state === "done") return outcome.value;
  const { code, message, hint, details } = outcome.error;
  if (outcome.state === "failed") {
    const { status } = details;
    // A service that breaks while it works has perhaps done the work.
    if (typeof status !== "number" || status < 500) throw outcome.error;
    throw new AmofError(code, message, {
      hint: `It may be done all the same, so look before you repeat it: ${reader}`,
      details: { ...details, reader },
    });
  }
  throw new AmofError(code, message, {
    hint: `It is not sent again by itself. See how it stands: ${reader}`,
    details: { ...details, said: hint, outcome: "unknown", reader },
  });
}

/**
 * Deletes and looks again: a good answer of the service is not believed before the thing is gone (STOCKTRIM-6). `what` is
 * "product TEA", `reader` the command that tells whether it is there, and `stands` does.
 */
async function deleteVerified(
  what: string,
  reader: string,
  send: () => Promise<ChangeOutcome<never>>,
  stands: () => Promise<boolean>,
): Promise<void> {
  requireDone(await send(), reader);
  let there: boolean;
  try {
    there = await stands();
  } catch (thrown) {
    if (!(thrown instanceof AmofError)) throw thrown;
    throw new AmofError(
      "stocktrim_outcome_unknown",
      `Cannot verify that ${what} is gone: StockTrim said it deleted it, and looking again failed`,
      {
        hint: `See how it stands: ${reader}`,
        details: { outcome: "unknown", reader, because: thrown.message },
      },
    );
  }
  if (!there) return;
  throw new AmofError(
    "stocktrim_failed",
    `Cannot delete ${what}: StockTrim said it did, and it is still there`,
    { hint: `See how it stands: ${reader}`, details: { reader } },
  );
}

/** They are about no ecosystem and work without a control repository; a server offers them where it is told to (STOCKTRIM-1). */
export const SERVICE_COMMAND = {
  toolset: "stocktrim",
  scope: "session",
  needs: "nothing",
  mcp: "asked for",
  openWorld: true,
} as const;

/** The longest code, name or reference that is accepted. */
const LONGEST = 200;

/** A text that says something: a code, a name, a reference. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function word(z: ZodNamespace, description: string) {
  return z.string().trim().min(1).max(LONGEST).describe(description);
}

/** A day, or a moment of one. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function isoDay(z: ZodNamespace) {
  return z.string().regex(/^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d)?)?$/);
}

/** How long the requests of a call may take together, in milliseconds, where another call of the service goes with it. */
const BUDGETS_MS = { preview: 20_000, execute: 25_000, waiting: 45_000 } as const;

/**
 * The service of the account that the environment names (STOCKTRIM-2); loaded when the first command asks for it. A
 * preview and the execution that follows it have half each of the time that a host gives a call, a query has all of it.
 */
export async function service(
  ctx: Pick<CommandContext, "system" | "signal">,
  use?: keyof typeof BUDGETS_MS,
): Promise<StockTrim> {
  const { openStockTrim } = await import("./client/client.ts");
  return openStockTrim(ctx, use === undefined ? undefined : BUDGETS_MS[use]);
}

/** A record with the members of another one by new names: `{ email: "emailAddress" }`. */
type Renamed<R, N extends Readonly<Record<string, keyof R>>> = {
  readonly [K in keyof N]: R[N[K]];
};

/** The members of a record as answers call them, each by the name that the service has for it. */
export function renamed<R extends object, const N extends Readonly<Record<string, keyof R>>>(
  record: R,
  names: N,
): Renamed<R, N> {
  return Object.fromEntries(
    Object.entries(names).map(([name, member]) => [name, record[member]]),
  ) as Renamed<R, N>;
}

/** What is kept under a code: how it is looked up, and what an answer or a question about it shows of it. */
export interface Noun<R, V> {
  /** "purchase order". */
  readonly what: string;
  /** The argument that names one, with what help says of it. */
  readonly argument: readonly [name: string, description: string];
  /** The verb of the command that lists all of them. */
  readonly lists: "list" | "search";
  readonly get: (stocktrim: StockTrim, code: string) => Promise<R | null>;
  readonly view: (record: R) => V;
  readonly lines: (view: V) => readonly string[];
}

/** The words of a noun on the command line. */
function typed({ what }: Pick<Noun<never, never>, "what">): string {
  return `amof stocktrim ${what.replace(" ", "-")}`;
}

/** The command that lists all of a noun. */
export function listReader(noun: Pick<Noun<never, never>, "what" | "lists">): string {
  return `${typed(noun)} ${noun.lists}`;
}

/** The command that tells how one stands. */
export function reader(noun: Pick<Noun<never, never>, "what">, code: string): string {
  return `${typed(noun)} get ${shellWord(shown(code))}`;
}

/** The one with this code; throws `stocktrim_not_found`. */
export async function required<R>(
  noun: Pick<Noun<R, never>, "what" | "lists" | "get">,
  stocktrim: StockTrim,
  code: string,
): Promise<R> {
  const found = await noun.get(stocktrim, code);
  if (found === null) throw notFound(noun.what, code, listReader(noun));
  return found;
}

/** What the commands have in common that write a noun down anew: nothing is written over. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function creating(what: string) {
  return {
    ...SERVICE_COMMAND,
    safety: "dangerous-write",
    confirm: "simple",
    asks: { deed: "creation", verb: "create", will: `create a ${what} in StockTrim` },
  } as const;
}

/** What the commands have in common that create a noun, or change a stored one, which is asked for (STOCKTRIM-8). */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export function saving(what: string) {
  return {
    ...SERVICE_COMMAND,
    safety: "safe-write",
    confirm: "none",
    asks: { deed: "change", will: `change a ${what} in StockTrim` },
    positionals: ["code"],
  } as const;
}

/**
 * What a save writes over: the stored one with `update`, else nothing. Throws where a new one has no name or is there
 * already, and `stocktrim_not_found`.
 */
export async function writtenOver<R>(
  noun: Pick<Noun<R, never>, "what" | "lists" | "get">,
  ctx: CommandContext,
  { code, name, update }: {
    readonly code: string;
    readonly name?: string | undefined;
    readonly update: boolean;
  },
): Promise<{ readonly stocktrim: StockTrim; readonly found: R | null }> {
  if (!update && name === undefined) throw unnamed(noun.what, code);
  const stocktrim = await service(ctx, "preview");
  if (update) return { stocktrim, found: await required(noun, stocktrim, code) };
  if (await noun.get(stocktrim, code) === null) return { stocktrim, found: null };
  throw alreadyThere(noun.what, code, "Change the stored one: repeat the command with --update");
}

/** What each command about StockTrim declares for itself. */
type Declared<Other extends keyof Query = never> = Pick<
  Query,
  "name" | "path" | "next" | "title" | "summary" | "examples" | Other
>;

/** Shows one by its code (STOCKTRIM-3). `named` says which was found. */
export function getting<R, V>(
  noun: Noun<R, V>,
  declared: Declared,
  { named, details = noun.lines }: {
    readonly named: (view: V) => string;
    readonly details?: (view: V) => Details;
  },
): Query {
  const [argument, description] = noun.argument;
  const member = noun.what.replace(" ", "_");
  return query({
    ...SERVICE_COMMAND,
    ...declared,
    positionals: [argument],
    input: (z) => ({ [argument]: word(z, description) }),
    async run(ctx, input) {
      const found = await required(noun, await service(ctx), String(input[argument]));
      return { data: { [member]: noun.view(found) } };
    },
    render(data: Readonly<Record<string, V>>) {
      const view = data[member] as V;
      return { summary: `Found ${noun.what} ${named(view)}.`, details: details(view) };
    },
  });
}

/** Lists all of a noun (STOCKTRIM-3); what `search` answers for one has to contain the words that are searched for. */
export function listing<V>(
  what: string,
  declared: Declared<"pages">,
  { all, columns, search }: {
    readonly all: (stocktrim: StockTrim) => Promise<readonly V[]>;
    readonly columns: Readonly<Record<string, (view: V) => Cell>>;
    readonly search?: (view: V) => string;
  },
): Query {
  const member = `${what}s`;
  return query({
    ...SERVICE_COMMAND,
    ...declared,
    input: (z) => (search === undefined ? {} : {
      search: z.string().trim().max(LONGEST).optional().describe("Part of the code or name"),
    }),
    async run(ctx, input: Fields) {
      const wanted = String(input["search"] ?? "").toLowerCase();
      const found = (await all(await service(ctx)))
        .filter((view) => search === undefined || search(view).toLowerCase().includes(wanted));
      return { data: { [member]: found, total: found.length } };
    },
    render: (data: Readonly<Record<string, unknown>>) => ({
      summary: `Found ${count(Number(data["total"]), what)}.`,
      details: rowsOf(data[member] as readonly V[], columns),
    }),
  });
}

/** A table with a row for each; the columns by their headings. */
export function rowsOf<V>(
  views: readonly V[],
  columns: Readonly<Record<string, (view: V) => Cell>>,
): Details {
  const cells = Object.values(columns);
  return table(Object.keys(columns), views.map((view) => cells.map((cell) => cell(view))));
}

/** What a page of a list answers besides its rows. */
interface Paged {
  readonly page: number;
  /** To give as `page`; null behind the last one. */
  readonly next_page: number | null;
}

/** The same where the service gives it out in pages. */
export function paged(page: number, more: boolean): Paged {
  return { page, next_page: more ? page + 1 : null };
}

/** How many stand on a page, as a sentence. */
export function foundOnPage(found: number, what: string, { page, next_page: next }: Paged): string {
  return `Found ${count(found, what)}${page === 0 && next === null ? "" : ` on page ${page}`}${
    next === null ? "" : `; more on page ${next}`
  }.`;
}

/**
 * Deletes for good, after a person has agreed, and looks again (STOCKTRIM-5, STOCKTRIM-6). The facts of the preview are
 * what the answer shows, but for what `answered` leaves out of them.
 */
export function deleting<F extends object>(
  declared: Declared & { readonly confirm: ConfirmKind; readonly will: string },
  argument: readonly [name: string, description: string],
  { preview, target, send, stands, answered, done }: {
    readonly preview: (stocktrim: StockTrim, code: string) => Promise<Preview<F, object>>;
    /** What the service is told, "product TEA", and the command that tells whether it is there. */
    readonly target: (facts: F) => Readonly<Record<"key" | "what" | "reader", string>>;
    readonly send: (stocktrim: StockTrim, key: string) => Promise<ChangeOutcome<never>>;
    readonly stands: (stocktrim: StockTrim, key: string) => Promise<boolean>;
    readonly answered: (facts: F) => object;
    readonly done: (facts: F) => string;
  },
): Mutation {
  const [name, description] = argument;
  const { will, ...said } = declared;
  return mutation({
    ...SERVICE_COMMAND,
    ...said,
    safety: "dangerous-write",
    byPerson: true,
    asks: { deed: "deletion", verb: "delete", will },
    positionals: [name],
    input: (z) => ({ [name]: word(z, description) }),
    preview: async (ctx, input) =>
      await preview(await service(ctx, "preview"), String(input[name])),
    async execute(ctx, _input, facts: F) {
      const stocktrim = await service(ctx, "execute");
      const { key, what, reader } = target(facts);
      await deleteVerified(
        what,
        reader,
        () => send(stocktrim, key),
        () => stands(stocktrim, key),
      );
      return { data: { deleted: true, verified: true, ...answered(facts) } };
    },
    render: (data: object) => ({ summary: done(data as F) }),
  });
}
