/**
 * The manifest XML of repo, the tool of Android.
 *
 * @module
 */

import { cleanLine } from "../../text/sanitize.ts";
import {
  depthOf,
  type Imported,
  type Listed,
  listed,
  MOST_INCLUDES,
  type Source,
  unreadable,
} from "./imported.ts";
import type { Element } from "./xml.ts";

/** Which attributes of an element are carried over; all others are told. */
const CARRIED: Readonly<Record<string, readonly string[]>> = {
  remote: ["name", "fetch", "revision", "alias"],
  default: ["remote", "revision", "upstream", "dest-branch"],
  project: [
    "name",
    "path",
    "remote",
    "revision",
    "groups",
    "upstream",
    "dest-branch",
    "clone-depth",
  ],
  "remove-project": ["name", "path", "optional"],
  include: ["name", "groups", "revision"],
};

/** An element with the revision and groups that the file it stands in was included with. */
interface Placed {
  readonly element: Element;
  readonly revision: string | null;
  readonly groups: readonly string[];
}

function words(text: string | undefined): string[] {
  return (text ?? "").split(/[\s,]+/).filter((word) => word !== "");
}

/** Every element of a list and of the files it includes, in their order. */
async function elementsOf({ text, shown, include }: Source): Promise<Placed[]> {
  // Its parser is loaded only where there is XML to read.
  const { xmlOf } = await import("./xml.ts");
  let files = 0;
  const read = async (
    name: string,
    content: string,
    around: Omit<Placed, "element">,
    way: readonly string[],
  ): Promise<Placed[]> => {
    const root = xmlOf(content, name);
    if (root.name !== "manifest") throw unreadable(name, `it begins with <${root.name}>`);
    const found: Placed[] = [];
    for (const element of root.children) {
      found.push({ ...around, element });
      const path = element.attributes["name"];
      if (element.name !== "include" || path === undefined) continue;
      if (way.includes(path) || ++files > MOST_INCLUDES) {
        throw unreadable(name, `it includes ${cleanLine(path, 60)} in a circle or too many files`);
      }
      const inner = {
        revision: element.attributes["revision"] ?? around.revision,
        groups: [...around.groups, ...words(element.attributes["groups"])],
      };
      found.push(...await read(path, await include(path), inner, [...way, path]));
    }
    return found;
  };
  return await read(shown, text, { revision: null, groups: [] }, [shown]);
}

/** The address below which a remote has its repositories; null where it is relative to an unknown one. */
function baseOf(fetch: string, home: string | null): string | null {
  if (!/^\.{0,2}(?:\/|$)/.test(fetch) || fetch.startsWith("/")) return fetch;
  if (home === null) return null;
  // Relative to the address of the repository that the list lies in, as repo has it.
  const parts = home.replace(/\/+$/, "").split("/");
  for (const step of fetch.split("/")) {
    if (step === "..") parts.pop();
    else if (step !== "." && step !== "") parts.push(step);
  }
  return parts.length < 1 ? null : parts.join("/");
}

/** A revision without what says that it is a branch. */
function plain(revision: string | undefined): string | null {
  return revision?.replace(/^refs\/heads\//, "") ?? null;
}

/** Everything a project of a list can lean on. */
interface Around {
  readonly remotes: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly usual: Readonly<Record<string, string>>;
  readonly home: string | null;
}

function projectOf({ element, revision, groups }: Placed, around: Around): Listed | string {
  const { name, path, upstream } = element.attributes;
  if (name === undefined) return "A project without a name";
  const remoteName = element.attributes["remote"] ?? around.usual["remote"];
  const remote = around.remotes.get(remoteName ?? "");
  if (remote === undefined) return `${name}: it has no known remote`;
  const base = baseOf(remote["fetch"] ?? "", around.home);
  if (base === null) {
    return `${name}: its remote is relative to the repository of the list, whose address is not known`;
  }
  const tags = [...new Set([...groups, ...words(element.attributes["groups"])])];
  const version = plain(
    element.attributes["revision"] ?? revision ?? remote["revision"] ?? around.usual["revision"],
  );
  const branch = plain(upstream ?? element.attributes["dest-branch"]) ??
    plain(around.usual["upstream"] ?? around.usual["dest-branch"]);
  return listed({
    what: path ?? name,
    name: (path ?? name).split("/").at(-1) ?? name,
    path: path ?? name,
    url: `${base.replace(/\/+$/, "")}/${name}`,
    version,
    branch: /^[0-9a-f]{40,64}$/.test(version ?? "") ? branch : null,
    enabled: !tags.includes("notdefault"),
    tags: tags.filter((tag) => tag !== "notdefault" && tag !== "default"),
    depth: depthOf(element.attributes["clone-depth"]),
  });
}

/** What a list says and the manifest will not. */
function notesOf(placed: readonly Placed[]): string[] {
  return placed.flatMap(({ element: { name, attributes, children } }) => {
    const carried = CARRIED[name];
    const of = attributes["path"] ?? attributes["name"] ?? "";
    const label = cleanLine(of === "" ? `<${name}>` : `<${name}> ${of}`, 80);
    if (carried === undefined) return [label];
    const dropped = Object.keys(attributes).filter((attribute) => !carried.includes(attribute));
    const inner = [...new Set(children.map((child) => `<${child.name}>`))];
    const all = [...dropped, ...inner];
    return all.length === 0 ? [] : [`${label}: ${cleanLine(all.join(", "), 120)}`];
  });
}

/** Reads remotes, defaults and projects; removed projects are left out, included files read. */
export async function importRepoXml(source: Source): Promise<Imported> {
  const placed = await elementsOf(source);
  const named = (name: string) => placed.filter(({ element }) => element.name === name);
  const around: Around = {
    remotes: new Map(
      named("remote").map(({ element }) => [element.attributes["name"] ?? "", element.attributes]),
    ),
    usual: Object.assign({}, ...named("default").map(({ element }) => element.attributes)),
    home: source.home,
  };
  const found: { readonly placed: Placed; readonly project: Listed | string }[] = [];
  for (const one of placed) {
    const { name, attributes } = one.element;
    if (name === "project") found.push({ placed: one, project: projectOf(one, around) });
    if (name !== "remove-project") continue;
    // It takes away what stands before it.
    const { name: gone, path } = attributes;
    for (let at = found.length - 1; at >= 0; at--) {
      const other = found[at]?.placed.element.attributes ?? {};
      const here = other["path"] ?? other["name"];
      if ((gone === undefined || other["name"] === gone) && (path === undefined || here === path)) {
        found.splice(at, 1);
      }
    }
  }
  const projects = found.map(({ project }) => project);
  return {
    repos: projects.filter((project) => typeof project !== "string"),
    groups: {},
    notes: [...projects.filter((project) => typeof project === "string"), ...notesOf(placed)],
  };
}
