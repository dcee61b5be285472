/** Everything that a door offers, as features of a server. Loaded once the client was greeted. */

import { toolFeature } from "./calls.ts";
import type { Door } from "./selection.ts";
import {
  type CompletionFeature,
  type Exchange,
  type Features,
  invalidParams,
  type MoreTools,
  type ResourceFeature,
  type ToolFeature,
} from "./features.ts";
import type { Introduction } from "./greeting.ts";
import { type Completed, promptArgument, promptFeature } from "./prompts.ts";
import { taskFeature } from "./tasks.ts";
import { resourceFeature, templateArgument } from "./resources.ts";
import type { Fields } from "../../base/object.ts";
import { lookUp } from "./look_up.ts";

/** The most values the protocol allows in one answer. */
const MAX_VALUES = 100;

function members(envelope: Fields, name: string): readonly Fields[] {
  const found = envelope[name];
  return Array.isArray(found) ? found : [];
}

async function valuesOf(
  door: Door,
  what: Completed,
  { ecosystem, begun }: { readonly ecosystem: string | null; readonly begun: string },
  exchange: Exchange,
): Promise<readonly string[]> {
  const ask = async (tool: string, args: Fields, list: string) =>
    members((await lookUp(door, tool, args, exchange)).envelope, list);
  if (Array.isArray(what)) return what;
  const names = (items: readonly Fields[], key: string) =>
    items.flatMap((item) => (item[key] ?? null) === null ? [] : [String(item[key])]);
  const { bound } = door.session();
  switch (what) {
    case "ecosystem":
      if (bound !== null) return [bound.ecosystem];
      return names(await ask("amof_list_ecosystems", {}, "ecosystems"), "name");
    case "run":
      return names(await ask("amof_list_runs", { limit: 200 }, "runs"), "run_id");
    case "release":
      return names(await ask("amof_release_log", { limit: 100 }, "releases"), "tag");
    case "ticket":
      if (bound !== null) return [bound.ticket];
      if (ecosystem === null) return [];
      return names(await ask("amof_ticket_list", { ecosystem }, "tickets"), "ticket_id");
    case "repository": {
      if (bound !== null) return names(await ask("amof_get_ecosystem_status", {}, "repos"), "name");
      const all = await ask("amof_list_ecosystems", {}, "ecosystems");
      const one = all.find((entry) => entry["name"] === ecosystem);
      const repos = (one === undefined ? all : [one]).flatMap((entry) =>
        entry["repos"] as string[]
      );
      return [...new Set(repos)];
    }
    case "product":
      return names(
        await ask("stocktrim_products_search", begun === "" ? {} : { query: begun }, "products"),
        "code",
      );
    case "supplier":
      return names(await ask("stocktrim_suppliers_list", {}, "suppliers"), "code");
    case "customer":
      return names(await ask("stocktrim_customers_list", {}, "customers"), "code");
    case "purchase_order":
      return names(
        await ask("stocktrim_purchase_orders_list", {}, "purchase_orders"),
        "reference",
      );
    default:
      return [];
  }
}

/** Completion for the prompts and resource templates of a door. */
function completionFeature(door: Door): CompletionFeature {
  return {
    async complete({ ref, argument, context }, exchange) {
      const what = ref.type === "ref/prompt"
        ? promptArgument(door, ref.name, argument.name)
        : templateArgument(door, ref.uri, argument.name);
      if (what === null) {
        throw invalidParams(
          `Cannot complete "${argument.name}": ${
            ref.type === "ref/prompt" ? "the prompt" : "the template"
          } or the argument is not known`,
        );
      }
      // The person may have filled in the ecosystem already; else the session's counts.
      const ecosystem = context?.arguments?.["ecosystem"] ?? door.session().place.ecosystem;
      // Of a list such as "api,we" only the last name is being typed.
      const typed = argument.value;
      const start = what === "repository" ? typed.lastIndexOf(",") + 1 : 0;
      const begun = typed.slice(start).trimStart().toLowerCase();
      const all = (await valuesOf(door, what, { ecosystem, begun }, exchange))
        .filter((value) => value.toLowerCase().startsWith(begun));
      return {
        values: all.slice(0, MAX_VALUES).map((value) => typed.slice(0, start) + value),
        total: all.length,
        hasMore: all.length > MAX_VALUES,
      };
    },
  };
}

export { serveFeatures } from "./serving.ts";

type Skills = NonNullable<Features["skills"]>;

/** Resources with the files of skills among them. */
function withSkills(resources: ResourceFeature, load: Skills | null): ResourceFeature {
  if (load === null) return resources;
  return {
    ...resources,
    read: async (uri, exchange) =>
      await (uri.startsWith("skill:") ? (await load()).read(uri) : resources.read(uri, exchange)),
  };
}

/** Tools of several kinds in one list; a name none of `more` knows belongs to the first. */
function together(first: ToolFeature, more: readonly MoreTools[]): ToolFeature {
  return {
    async list(revision) {
      const lists = await Promise.all([first, ...more].map((feature) => feature.list(revision)));
      return lists.flat();
    },
    call(params, exchange) {
      const feature = more.find((one) => one.has(params.name)) ?? first;
      return feature.call(params, exchange);
    },
  };
}

/** What a door offers; `more` are tools that are no commands of amof. */
export function featuresOf(
  door: Door,
  { info, instructions }: Introduction,
  { more, skills }: { readonly more: MoreTools | undefined; readonly skills: Skills | null },
): Features {
  return {
    info,
    instructions,
    tools: together(toolFeature(door), more === undefined ? [] : [more]),
    resources: withSkills(resourceFeature(door), skills),
    prompts: promptFeature(door),
    completion: completionFeature(door),
    tasks: taskFeature(door),
    skills,
  };
}
