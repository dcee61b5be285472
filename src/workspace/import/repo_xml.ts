/** The manifest XML of repo, the tool of Android. */

import { cleanLine } from "../../base/text/sanitize.ts";
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

/** An address as what stays whatever is joined to it, and the path behind that. */
function parted(address: string): readonly [place: string, path: string] {
  const [place = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i.exec(address) ??
    // `user@host:team/list`: the first step belongs to the host, as it does for repo.
    /^[^/]*:[^/]*/.exec(address) ?? [];
  return [place, address.slice(place.length)];
}

/** Whether an address says all by itself where it leads: it has a scheme, or a host and a colon. */
function isWhole(address: string): boolean {
  return /^[^/]*:/.test(address);
}

/** A path without `.` and `..`; those that lead above its top lead to the top. */
function walked(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(step);
  }
  return `/${steps.join("/")}`;
}

/**
 * The address that `relative` leads to from the directory in which `base` lies; without a slash at its end.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { joinUrl } from "./repo_xml.ts";
 *
 * assertEquals(joinUrl("https://h.test/platform/manifest", ".."), "https://h.test");
 * assertEquals(joinUrl("git@h.test:team/sub/list.git", "."), "git@h.test:team/sub");
 * ```
 */
export function joinUrl(base: string, relative: string): string {
  const wanted = relative.replace(/\/+$/, "");
  if (isWhole(wanted)) return wanted;
  if (relative === "") return base.replace(/\/+$/, "");
  const [place, path] = parted(base.replace(/\/+$/, ""));
  if (wanted.startsWith("//")) return `${/^[^/]*/.exec(place)?.[0] ?? ""}${wanted}`;
  const directory = path.slice(0, path.lastIndexOf("/") + 1);
  const joined = relative.startsWith("/") ? relative : `${directory}${wanted}`;
  return `${place}${walked(joined)}`.replace(/\/+$/, "");
}

/** Which attributes of an element are carried over; all others are told. */
const CARRIED: Readonly<Record<string, readonly string[]>> = {
  remote: ["name", "fetch", "revision", "alias"],
  default: ["remote", "revision", "upstream", "dest-branch", "sync-s"],
  project: [
    "name",
    "path",
    "remote",
    "revision",
    "groups",
    "upstream",
    "dest-branch",
    "clone-depth",
    "sync-s",
  ],
  "extend-project": [
    "name",
    "path",
    "dest-path",
    "remote",
    "revision",
    "groups",
    "upstream",
    "dest-branch",
  ],
  "remove-project": ["name", "path", "optional"],
  include: ["name", "groups", "revision"],
};

type Attributes = Readonly<Record<string, string>>;

/** An element with the revision and groups that the file it stands in was included with. */
interface Placed {
  readonly element: Element;
  readonly revision: string | null;
  readonly groups: readonly string[];
}

function words(text: string | undefined): string[] {
  return (text ?? "").split(/[\s,]+/).filter((word) => word !== "");
}

/** Every element of a list, of the files it includes, and of those that count after it, in their order. */
async function elementsOf({ text, shown, include, after = [] }: Source): Promise<Placed[]> {
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
  const all: Placed[] = [];
  for (const file of [{ name: shown, text }, ...after]) {
    all.push(...await read(file.name, file.text, { revision: null, groups: [] }, [file.name]));
  }
  return all;
}

/** The address below which a remote has its repositories; null where it is relative to an unknown one. */
function baseOf(fetch: string, home: string | null): string | null {
  if (home !== null) return joinUrl(home, fetch);
  return /^[^/]*:/.test(fetch) || fetch.startsWith("/") ? fetch.replace(/\/+$/, "") : null;
}

/** A revision without what says that it is a branch. */
function plain(revision: string | undefined): string | null {
  return revision?.replace(/^refs\/heads\//, "") ?? null;
}

/** Everything a project of a list can lean on. */
interface Around {
  readonly remotes: ReadonlyMap<string, Attributes>;
  readonly usual: Attributes;
  readonly home: string | null;
  readonly platform: string | null;
}

/** A project as far as it was read: what others extend and remove. */
interface Project {
  readonly name: string;
  readonly path: string;
  readonly groups: readonly string[];
  /** Its own attributes, with those that extend it. */
  readonly attributes: Attributes;
  /** That of the file it was included with. */
  readonly revision: string | null;
}

/** Whether repo fetches a project where nobody has chosen groups. */
function isUsual(groups: readonly string[], platform: string | null): boolean {
  return !groups.includes("notdefault") ||
    groups.includes("default") || platform !== null && groups.includes(`platform-${platform}`);
}

function listedOf({ name, path, groups, attributes, revision }: Project, around: Around) {
  const remote = around.remotes.get(attributes["remote"] ?? around.usual["remote"] ?? "");
  if (remote === undefined) return `${name}: it has no known remote`;
  const base = baseOf(remote["fetch"] ?? "", around.home);
  if (base === null) {
    return `${name}: its remote is relative to the repository of the list, whose address is not known`;
  }
  const version = plain(
    attributes["revision"] ?? revision ?? remote["revision"] ?? around.usual["revision"],
  );
  const branch = plain(attributes["upstream"] ?? attributes["dest-branch"]) ??
    plain(around.usual["upstream"] ?? around.usual["dest-branch"]);
  const tags = [...new Set(groups)];
  return listed({
    what: path,
    name: path.split("/").at(-1) ?? name,
    path,
    url: `${base}/${name}`,
    version,
    branch: /^[0-9a-f]{40,64}$/.test(version ?? "") ? branch : null,
    enabled: isUsual(tags, around.platform),
    tags: tags.filter((tag) => tag !== "notdefault" && tag !== "default"),
    depth: depthOf(attributes["clone-depth"]),
    submodules: (attributes["sync-s"] ?? around.usual["sync-s"]) === "true",
  });
}

function projectOf({ element: { attributes }, revision, groups }: Placed): Project | null {
  const { name } = attributes;
  return name === undefined ? null : {
    name,
    path: (attributes["path"] ?? name).replace(/\/+$/, ""),
    groups: [...groups, ...words(attributes["groups"])],
    attributes,
    revision,
  };
}

/** Whether an element that names a project, or a place, means this one. */
function means({ name, path }: Attributes, project: Project): boolean {
  return (name !== undefined || path !== undefined) &&
    (name === undefined || name === project.name) &&
    (path === undefined || path.replace(/\/+$/, "") === project.path);
}

function extended(project: Project, { groups, "dest-path": to, ...rest }: Attributes): Project {
  const { name: _, path: _where, ...changed } = rest;
  return {
    ...project,
    path: to?.replace(/\/+$/, "") ?? project.path,
    groups: [...project.groups, ...words(groups)],
    attributes: { ...project.attributes, ...changed },
  };
}

/** The projects that are left when all elements were gone through; `notes` gets what led nowhere. */
function projectsOf(placed: readonly Placed[], notes: string[]): Project[] {
  let projects: Project[] = [];
  for (const one of placed) {
    const { name, attributes } = one.element;
    if (name === "project") {
      const project = projectOf(one);
      if (project === null) notes.push("A project without a name");
      else projects.push(project);
    }
    if (name !== "extend-project" && name !== "remove-project") continue;
    // Both are about what stands before them.
    if (!projects.some((project) => means(attributes, project))) {
      if (attributes["optional"] === "true") continue;
      const what = cleanLine(attributes["name"] ?? attributes["path"] ?? "", 60);
      notes.push(`<${name}> ${what}: no project before it is called so`);
    }
    projects = name === "remove-project"
      ? projects.filter((project) => !means(attributes, project))
      : projects.map((project) =>
        means(attributes, project) ? extended(project, attributes) : project
      );
  }
  return projects;
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

/** Reads remotes, defaults and projects, as others extend or remove them, and the files that are included. */
export async function importRepoXml(source: Source): Promise<Imported> {
  const placed = await elementsOf(source);
  const named = (name: string) => placed.filter(({ element }) => element.name === name);
  const around: Around = {
    remotes: new Map(
      named("remote").map(({ element }) => [element.attributes["name"] ?? "", element.attributes]),
    ),
    usual: Object.assign({}, ...named("default").map(({ element }) => element.attributes)),
    home: source.home,
    platform: source.platform,
  };
  const notes: string[] = [];
  const found = projectsOf(placed, notes).map((project): Listed | string =>
    listedOf(project, around)
  );
  return {
    repos: found.filter((project) => typeof project !== "string"),
    groups: {},
    notes: [
      ...found.filter((project) => typeof project === "string"),
      ...notes,
      ...notesOf(placed),
    ],
  };
}
