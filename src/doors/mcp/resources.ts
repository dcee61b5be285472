/** Resources: what a host can attach to a conversation without a tool call, each read by a command. */

import type { Fields } from "../../base/object.ts";
import { plainText } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { type Door, offered } from "./selection.ts";
import {
  type Exchange,
  isStructured,
  ProtocolError,
  type ResourceFeature,
  resourceNotFound,
  type Revision,
} from "./features.ts";
import { fit, MAX_RESULT, truncateText } from "./result.ts";
import { lookUp } from "./look_up.ts";
import type { Completed } from "./prompts.ts";
import type { Resource } from "./sdk.ts";

/** How many of the newest runs and releases are listed; older ones are reached through the templates. */
const LISTED = 50;
/** What the members around a text take. */
const FRAME = 400;

interface Kind {
  /** The URI, with the parameter in braces if there is one for each of many things. */
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: "application/json" | "text/plain";
  /** The command that reads it, and its arguments for a value of the parameter. */
  readonly reads: string;
  arguments(value: string): Fields;
  /** What completes the parameter. */
  readonly completed?: Completed;
  /** Whether there is an entry for each thing; else only the template says that there are some. */
  readonly isListed?: false;
  /** The tool that must be offered for the resource to be; the reading command itself by default. */
  readonly needs?: string;
}

const ECOSYSTEMS = "amof://ecosystems";
const MANIFEST = "amof://ecosystems/{name}/manifest";
const TICKETS = "amof://ecosystems/{name}/tickets";
const RUN = "amof://runs/{id}";
const RUN_LOG = "amof://runs/{id}/log";
const RELEASE = "amof://releases/{tag}";

/** A thing that StockTrim keeps, by its code. It is not listed one by one: there are thousands. */
function ofStockTrim(
  what: "product" | "supplier" | "customer" | "purchase_order",
  member = "code",
): Kind {
  const words = what.replace("_", " ");
  return {
    uri: `stocktrim://${what.replace("_", "-")}s/{${member}}`,
    name: `stocktrim-${what.replace("_", "-")}`,
    title: `StockTrim ${words}`,
    description: `A ${words} that StockTrim keeps`,
    mimeType: "application/json",
    reads: `stocktrim_${what}_get`,
    completed: what,
    isListed: false,
    arguments: (value) => ({ [member]: value }),
  };
}

const KINDS: readonly Kind[] = [
  {
    uri: ECOSYSTEMS,
    name: "ecosystems",
    title: "Ecosystems",
    description: "Every ecosystem with its repositories",
    mimeType: "application/json",
    reads: "amof_list_ecosystems",
    arguments: () => ({}),
  },
  {
    uri: MANIFEST,
    name: "manifest",
    title: "Manifest",
    description: "The manifest of an ecosystem with every default filled in",
    mimeType: "application/json",
    reads: "amof_show_manifest",
    needs: "amof_describe_ecosystem",
    completed: "ecosystem",
    arguments: (ecosystem) => ({ ecosystem }),
  },
  {
    uri: TICKETS,
    name: "tickets",
    title: "Tickets",
    description:
      "The tickets of an ecosystem: repositories and their state, workspace, ports, who is at work",
    mimeType: "application/json",
    reads: "amof_ticket_list",
    completed: "ecosystem",
    isListed: false,
    arguments: (ecosystem) => ({ ecosystem, state: true }),
  },
  {
    uri: RUN,
    name: "run",
    title: "Run",
    description: "The record of a run",
    mimeType: "application/json",
    reads: "amof_get_run_status",
    completed: "run",
    arguments: (run_id) => ({ run_id }),
  },
  {
    uri: RUN_LOG,
    name: "run-log",
    title: "Run log",
    description: "The newest lines of the log of a run",
    mimeType: "text/plain",
    reads: "amof_get_run_logs",
    completed: "run",
    arguments: (run_id) => ({ run_id, tail: 1000 }),
  },
  {
    uri: RELEASE,
    name: "release",
    title: "Release",
    description: "The record of a release",
    mimeType: "application/json",
    reads: "amof_release_show",
    needs: "amof_release_log",
    completed: "release",
    arguments: (tag) => ({ tag }),
  },
  ofStockTrim("product"),
  ofStockTrim("supplier"),
  ofStockTrim("customer"),
  ofStockTrim("purchase_order", "reference"),
  {
    uri: "stocktrim://reports/urgent-orders",
    name: "stocktrim-urgent-orders",
    title: "StockTrim urgent orders",
    description: "What runs out within a week, with suppliers and costs",
    mimeType: "application/json",
    reads: "stocktrim_order_plan",
    arguments: () => ({ days: 7, limit: 30, group_by: "supplier" }),
  },
  {
    uri: "stocktrim://reports/supplier-directory",
    name: "stocktrim-supplier-directory",
    title: "StockTrim suppliers",
    description: "Every supplier with its contact",
    mimeType: "application/json",
    reads: "stocktrim_suppliers_list",
    arguments: () => ({}),
  },
];

/** Errors that say: there is no such thing. */
const ABSENT = [
  "ecosystem_not_found",
  "workspace_not_installed",
  "run_not_found",
  "release_not_found",
  "stocktrim_not_found",
];

function isOffered(door: Door, kind: Kind): boolean {
  return offered(door, kind.needs ?? kind.reads) !== null;
}

function isTemplate(kind: Kind): boolean {
  return kind.uri.includes("{");
}

function uriOf(template: string, value: string): string {
  return template.replace(/\{\w+\}/, encodeURIComponent(value));
}

/** The value of the parameter in a URI of this kind; null for another kind of URI. */
function valueIn(kind: Kind, uri: string): string | null {
  const [before = "", after] = kind.uri.split(/\{\w+\}/);
  if (after === undefined) return uri === before ? "" : null;
  if (!uri.startsWith(before) || !uri.endsWith(after)) return null;
  const encoded = uri.slice(before.length, uri.length - after.length);
  if (!/^[^/?#]+$/.test(encoded)) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

/** What completes the parameter of a template; null when there is no such template or parameter. */
export function templateArgument(door: Door, uri: string, argument: string): Completed | null {
  const kind = KINDS.find((entry) => entry.uri === uri && isOffered(door, entry));
  return kind?.uri.includes(`{${argument}}`) ? kind.completed ?? null : null;
}

/** What a command answered, without what is about the call. */
function contentOf(envelope: Fields): Fields {
  const { _context, summary: _summary, suggested_actions: _actions, ...data } = envelope;
  return data;
}

/** The text of one resource; throws when its command fails. */
async function textOf(
  door: Door,
  kind: Kind,
  value: string,
  { uri, exchange }: { readonly uri: string; readonly exchange: Exchange },
): Promise<string> {
  const outcome = await lookUp(door, kind.reads, kind.arguments(value), exchange);
  const { error, message } = outcome.envelope;
  if (outcome.isError) {
    if (ABSENT.includes(String(error))) throw resourceNotFound(uri, String(message));
    throw new ProtocolError(-32603, `Cannot read ${cleanLine(uri, 200)}: ${message}`);
  }
  return kind.mimeType === "text/plain"
    ? truncateText(plainText(outcome.details), MAX_RESULT - FRAME)
    : JSON.stringify(fit(contentOf(outcome.envelope), MAX_RESULT / 2));
}

interface Thing {
  /** The value of the parameter in its URI. */
  readonly value: string;
  /** What a person calls it. */
  readonly what: string;
}

/** A kind, or one thing of it, as a list of resources has it. */
function entry(kind: Kind, revision: Revision, thing?: Thing) {
  return {
    uri: thing === undefined ? kind.uri : uriOf(kind.uri, thing.value),
    name: thing === undefined ? kind.name : `${kind.name} ${thing.value}`,
    ...(isStructured(revision)
      ? { title: thing === undefined ? kind.title : `${kind.title}: ${cleanLine(thing.what, 60)}` }
      : {}),
    description: kind.description,
    mimeType: kind.mimeType,
  };
}

/** What a tool lists under a member of its answer. */
async function listOf(
  door: Door,
  { tool, args, member }: { readonly tool: string; readonly args: Fields; readonly member: string },
  exchange: Exchange,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const { envelope } = await lookUp(door, tool, args, exchange);
  const found = envelope[member];
  return Array.isArray(found) ? found : [];
}

async function thingsOf(door: Door, kind: Kind, exchange: Exchange): Promise<readonly Thing[]> {
  const { bound } = door.session();
  switch (kind.uri) {
    case MANIFEST: {
      if (bound !== null) return [{ value: bound.ecosystem, what: bound.ecosystem }];
      const tool = { tool: "amof_list_ecosystems", args: {}, member: "ecosystems" };
      return (await listOf(door, tool, exchange))
        .map(({ name = "" }) => ({ value: name, what: name }));
    }
    case RUN:
    case RUN_LOG: {
      const tool = { tool: "amof_list_runs", args: { limit: LISTED }, member: "runs" };
      return (await listOf(door, tool, exchange))
        .map(({ run_id = "", action, ecosystem, status }) => ({
          value: run_id,
          what: `${action} ${ecosystem} ${status}`,
        }));
    }
    default: {
      const tool = { tool: "amof_release_log", args: { limit: LISTED }, member: "releases" };
      return (await listOf(door, tool, exchange)).map(({ tag = "" }) => ({
        value: tag,
        what: tag,
      }));
    }
  }
}

async function listKind(door: Door, kind: Kind, exchange: Exchange): Promise<Resource[]> {
  if (kind.isListed === false) return [];
  if (!isTemplate(kind)) return [entry(kind, exchange.revision)];
  return (await thingsOf(door, kind, exchange))
    .map((thing) => entry(kind, exchange.revision, thing));
}

/** The resources of a door. */
export function resourceFeature(door: Door): ResourceFeature {
  const kinds = KINDS.filter((kind) => isOffered(door, kind));
  return {
    async list(exchange) {
      return (await Promise.all(kinds.map((kind) => listKind(door, kind, exchange)))).flat();
    },

    templates: (revision) =>
      kinds.filter(isTemplate).map((kind) => {
        const { uri: uriTemplate, ...rest } = entry(kind, revision);
        return { uriTemplate, ...rest };
      }),

    async read(uri, exchange) {
      for (const kind of kinds) {
        const value = valueIn(kind, uri);
        if (value === null) continue;
        const text = await textOf(door, kind, value, { uri, exchange });
        return { contents: [{ uri, mimeType: kind.mimeType, text }] };
      }
      throw resourceNotFound(uri, `There is no resource ${cleanLine(uri, 200)}`);
    },
  };
}
