/** Whether what has changed in a clone since it was sealed needs a person to look. */

import { dirname, join, resolve } from "@std/path";
import { sha256 } from "../../base/hash.ts";
import { isBelow } from "../../base/paths.ts";
import { type ConfigKeys, configKeys } from "../files/config_text.ts";
import { hashOfValues, type Part, PLAIN, type Remembered, type Seal } from "./parts.ts";

/** A key of the configuration that somebody has to look at. */
interface SuspectKey {
  readonly key: string;
  /** The file it stands in. */
  readonly file: string;
  /** For whoever looks at it, and nobody else: it may hold a password. */
  readonly values: readonly (string | null)[];
}

/** What a person has to look at; nothing where both are empty. */
export interface Suspects {
  readonly keys: readonly SuspectKey[];
  readonly files: readonly string[];
}

/** What only the caller can tell. */
interface Surroundings {
  /** What git itself reads in a file of configuration; null where it reads nothing. */
  readonly listed: (path: string) => Promise<ConfigKeys | null>;
  /** Whether `origin` may have this address. */
  readonly isOrigin: (url: string) => boolean;
  /** Whether a clone may borrow objects from a directory. */
  readonly mayBorrow: (objects: string) => boolean;
}

function isHarmlessFile({ kind, text }: Part, around: Surroundings): boolean {
  switch (kind) {
    case "attributes":
      return isHarmlessAttributes(text);
    case "hook":
      return LFS_HOOK.test(text);
    case "alternates":
      return text.split("\n").every((line) => line === "" || around.mayBorrow(line));
    case "legacy":
      return text.trim() === "";
    case "place":
      return text === PLAIN;
    case "config":
      return false;
  }
}

/** Whether a key has the value that it has to have in this file. */
function isExpectedIn({ path }: Part, key: string, value: string, around: Surroundings): boolean {
  // Settings that git writes for a submodule: where it is checked out, and where it comes from.
  const clone = /^(.+?)[/\\]\.git[/\\]modules[/\\]/.exec(path)?.[1];
  if (/^submodule\..+\.gitdir$/s.test(key)) {
    const top = clone ?? /^(.+)[/\\]\.git[/\\]config$/.exec(path)?.[1];
    return top !== undefined && isBelow(join(top, ".git", "modules"), resolve(top, value));
  }
  if (key === "core.worktree") {
    return clone !== undefined && isBelow(clone, resolve(dirname(path), value));
  }
  if (key !== "remote.origin.url") return false;
  return clone === undefined ? around.isOrigin(value) : REMOTE.test(value);
}

/** The keys of one file that have other values than before, and are no matter of course. */
async function suspectKeys(
  part: Part,
  before: Readonly<Record<string, string>>,
  around: Surroundings,
): Promise<SuspectKey[] | null> {
  const listed = await around.listed(part.path);
  if (listed === null) return null;
  // A key that git read a moment after this program counts as new, like one that git no longer reads.
  const now = new Map([...configKeys(part.text) ?? [], ...listed]);
  return [...now].flatMap(([key, values]) => {
    if (Object.hasOwn(before, key) && before[key] === hashOfValues(values)) return [];
    const isExpected = (value: string | null) => isExpectedIn(part, key, value ?? "", around);
    return values.every(isExpected) || isHarmlessKey(key, values)
      ? []
      : [{ key, file: part.name, values }];
  });
}

/**
 * Compares a clone with what was remembered of it; null where nothing was, which is as if it had been empty. What is
 * gone needs no look. A process for each file of configuration that has changed.
 */
export async function judge(
  before: Remembered | null,
  now: Seal,
  around: Surroundings,
): Promise<Suspects> {
  const keys: SuspectKey[] = [];
  const files: string[] = [];
  for (const part of now.parts) {
    const { name, kind, text } = part;
    if (before !== null && Object.hasOwn(before.files, name)) {
      if (before.files[name] === sha256(text)) continue;
    }
    if (kind !== "config") {
      if (!isHarmlessFile(part, around)) files.push(name);
      continue;
    }
    const old = before !== null && Object.hasOwn(before.keys, name) ? before.keys[name] : undefined;
    const found = await suspectKeys(part, old ?? {}, around);
    if (found === null) files.push(name);
    else keys.push(...found);
  }
  return { keys, files };
}

// Which settings and other files of a clone may change without anybody looking (SEAL-2). They name no program that git
// would run, no place that it would send anything to, and nothing that would hide work. What is not listed here is
// looked at by a person. So a setting that git invents later is, too.

/** Whether a value may be any text, or only some. */
type Values = "any" | RegExp;

/** A value that says yes or no, or is left out. */
const SWITCH = /^(?:true|false|yes|no|on|off|[01]|)$/i;
/** A remote by its name, or an address that starts no program of its own. */
const REMOTE = /^(?!-)(?!.*::).*$/;

/** Keys without their subsection, or with `*` for one, lower case; `*` alone at the end stands for every name. */
const HARMLESS: readonly (readonly [keys: string, values: Values])[] = [
  ["user.name user.email user.signingkey user.useconfigonly", "any"],
  ["author.name author.email committer.name committer.email", "any"],
  // Tools keep their notes about branches there: gh, editors, clients with windows.
  ["branch.*.merge branch.*.rebase branch.*.description branch.*.mergeoptions", "any"],
  ["branch.*.remote branch.*.pushremote", REMOTE],
  ["branch.*.gh-merge-base branch.*.github-pr-owner-number branch.*.vscode-merge-base", "any"],
  ["branch.*.gk-merge-base branch.*.gk-merge-target branch.*.gk-last-accessed", "any"],
  [
    "branch.*.gk-last-modified branch.*.gk-associated-issues branch.*.gk-agent-last-activity",
    "any",
  ],
  ["branch.autosetupmerge branch.autosetuprebase branch.sort", "any"],
  // A push says what it sends.
  ["remote.*.push", "any"],
  ["remote.*.fetch remote.*.tagopt remote.*.gh-resolved remote.*.glab-resolved", "any"],
  ["remote.*.prune remote.*.prunetags remote.*.skipfetchall remote.*.skipdefaultupdate", SWITCH],
  ["remote.*.promisor", SWITCH],
  ["remote.*.followremotehead", /^(?:create|always|never|warn(?:-if-not-.+)?)$/],
  // A group of remotes, which must not take the place of the one that it is called like.
  ["remotes.origin", /^origin$/],
  ["remotes.*", /^[\w./ -]*$/],
  ["remote.*.partialclonefilter", /^[a-z0-9:=+,]*$/],
  ["remote.pushdefault", /^[\w.-]*$/],
  ["core.bare", /^(?:false|no|off|0)$/i],
  ["core.repositoryformatversion core.compression core.loosecompression core.abbrev", "any"],
  ["core.autocrlf core.eol core.safecrlf core.whitespace core.commentchar", "any"],
  ["core.filemode core.ignorecase core.precomposeunicode core.symlinks core.longpaths", "any"],
  [
    "core.logallrefupdates core.quotepath core.protecthfs core.protectntfs core.hidedotfiles",
    "any",
  ],
  ["core.sparsecheckout core.sparsecheckoutcone core.splitindex core.untrackedcache", "any"],
  ["core.preloadindex core.bigfilethreshold core.fscache core.multipackindex", "any"],
  ["core.commitgraph core.packedgitlimit core.packedgitwindowsize core.deltabasecachelimit", "any"],
  ["core.fsmonitor", SWITCH],
  ["extensions.worktreeconfig extensions.preciousobjects extensions.relativeworktrees", SWITCH],
  ["extensions.submodulepathconfig worktree.userelativepaths worktree.guessremote", SWITCH],
  ["extensions.objectformat", /^sha(?:1|256)$/],
  // Behind a format can stand another place, where refs would be that nobody has made.
  ["extensions.refstorage", /^(?:files|reftable)$/],
  ["extensions.partialclone", REMOTE],
  ["index.* feature.* advice.* color.* color.*.* column.* status.* log.* rebase.* rerere.*", "any"],
  ["pack.* repack.* maintenance.* maintenance.*.* stash.* checkout.* blame.*", "any"],
  [
    "fetch.prune fetch.prunetags fetch.parallel fetch.writecommitgraph fetch.output fetch.all",
    "any",
  ],
  ["fetch.showforcedupdates fetch.recursesubmodules fetch.unpacklimit", "any"],
  ["gc.auto gc.autodetach gc.autopacklimit gc.bigpackthreshold gc.packrefs gc.cruftpacks", "any"],
  ["gc.pruneexpire gc.worktreepruneexpire gc.reflogexpire gc.reflogexpireunreachable", "any"],
  ["gc.writecommitgraph gc.aggressivedepth gc.aggressivewindow", "any"],
  // With others of this table, what `scalar register` writes.
  ["am.* commitgraph.* gui.gcwarning receive.autogc", "any"],
  ["credential.*.usehttppath", SWITCH],
  ["receive.denycurrentbranch receive.denydeletecurrent", /^(?:refuse|warn|ignore)$/],
  ["pull.rebase pull.ff pull.twohead push.default push.autosetupremote push.followtags", "any"],
  ["push.useforceifincludes push.recursesubmodules", "any"],
  ["merge.ff merge.conflictstyle merge.tool merge.guitool merge.renames merge.renamelimit", "any"],
  ["merge.log merge.stat merge.branchdesc merge.autostash merge.directoryrenames", "any"],
  ["diff.algorithm diff.colormoved diff.colormovedws diff.context diff.indentheuristic", "any"],
  ["diff.mnemonicprefix diff.noprefix diff.renames diff.renamelimit diff.submodule", "any"],
  ["diff.tool diff.guitool diff.wserrorhighlight diff.interhunkcontext", "any"],
  ["commit.gpgsign tag.gpgsign tag.forcesignannotated commit.verbose", SWITCH],
  ["gpg.format", /^(?:openpgp|x509|ssh)$/],
  ["commit.cleanup commit.status tag.sort", "any"],
  ["init.defaultbranch versionsort.suffix help.autocorrect", "any"],
  ["submodule.*.active submodule.active submodule.*.branch submodule.*.ignore", "any"],
  ["submodule.*.url", REMOTE],
  ["submodule.*.update", /^(?:checkout|rebase|merge|none)$/],
  ["submodule.*.fetchrecursesubmodules submodule.recurse submodule.fetchjobs", "any"],
  // What a clone with submodules and a reference gets.
  ["submodule.alternatelocation", /^(?:superproject|no)$/],
  ["submodule.alternateerrorstrategy", /^(?:die|info|ignore)$/],
  ["lfs.repositoryformatversion", "any"],
  ["lfs.*.access", /^(?:none|basic|negotiate)$/],
  ["lfs.*.locksverify lfs.locksverify lfs.fetchrecentalways lfs.skipdownloaderrors", SWITCH],
  ["lfs.fetchinclude lfs.fetchexclude lfs.fetchrecentrefsdays lfs.concurrenttransfers", "any"],
  // The settings of `git lfs install --local`, exactly as it writes them.
  ["filter.lfs.clean", /^git-lfs clean -- %f$/],
  ["filter.lfs.smudge", /^git-lfs smudge (?:--skip )?-- %f$/],
  ["filter.lfs.process", /^git-lfs filter-process(?: --skip)?$/],
  ["filter.lfs.required", SWITCH],
  ["gitflow.branch.* gitflow.prefix.* gui.wmstate gui.geometry gui.encoding", "any"],
];

const TABLE: ReadonlyMap<string, Values> = new Map(
  HARMLESS.flatMap(([keys, values]) => keys.split(" ").map((key) => [key, values] as const)),
);

/** Another remote's address is harmless, that of `origin` only where it is the one it should be. */
const OTHER_REMOTE = /^remote\.(?!origin\.url$).+\.url$/;

/** The values that a key may have without anybody looking, or null where there are none. */
function valuesOf(key: string): Values | null {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  const [section, name] = [key.slice(0, first), key.slice(last + 1)];
  const shapes = first === last
    ? [key, `${section}.*`]
    : [`${section}.*.${name}`, key, `${section}.*.*`, `${key.slice(0, last)}.*`];
  for (const shape of shapes) {
    const values = TABLE.get(shape);
    if (values !== undefined) return values;
  }
  return OTHER_REMOTE.test(key) ? REMOTE : null;
}

/** Whether nobody has to look at a key of a clone's configuration with these values. */
export function isHarmlessKey(key: string, values: readonly (string | null)[]): boolean {
  const allowed = valuesOf(key);
  if (allowed === null) return false;
  return allowed === "any" || values.every((value) => allowed.test(value ?? ""));
}

/** A hook as git-lfs writes it: nothing but itself is called. */
const LFS_HOOK =
  /^#!\/bin\/sh\ncommand -v git-lfs >\/dev\/null 2>&1 \|\| \{ (?:echo|printf) >&2 "[^"`$]*"(?: "[^"`$]*")?; exit 2; \}\ngit lfs (?:pre-push|post-checkout|post-commit|post-merge) "\$@"\n?$/;

/** Whether nobody has to look at new attributes: they name no filter, merge or diff driver but those of git-lfs. */
function isHarmlessAttributes(text: string): boolean {
  return text.split("\n").every((line) => {
    if (/^\s*(?:#|$)/.test(line)) return true;
    const others = line.replace(/(?<=\s)(?:filter|diff|merge)=lfs(?=\s|$)/g, "");
    return !/(?:^|\s)(?:filter|diff|merge)=|^\s*\[attr\]/.test(others);
  });
}
