/**
 * Files that nobody should change: the globs of `guardrails.no_touch_paths`, and what touches them (WORKSPACE-7); and
 * those that look as if they held a secret.
 */

import { globToRegExp } from "@std/path";
import { AmofError } from "../../base/error.ts";
import type { Repository, Sent } from "../../git/mod.ts";
import { onlyTyped, type ZodNamespace } from "../../contract/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count } from "../../base/text/words.ts";
import { shortSha } from "../../base/ids.ts";

const NAMES: readonly RegExp[] = [
  /^\.env(?:rc)?$/,
  // Samples of a .env file are there to be committed.
  /^\.env\.(?!(?:.*\.)?(?:example|sample|template|tmpl|dist|defaults?)$)/,
  /^.*\.(?:key|pem|p12|pfx|jks|keystore|kdbx|ppk|p8)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /^\.?credentials?(?:\.(?:json|ya?ml|toml|ini|txt|csv|db))?$/,
  /^\.?secrets?(?:\.(?:json|ya?ml|toml|ini|txt|env))?$/,
  /^\.(?:netrc|pgpass|git-credentials|htpasswd|pypirc|my\.cnf|dockercfg|vault_pass|vault-token)$/,
  /^_netrc$/,
  /^\.?kubeconfig$/,
  /^.+\.kubeconfig$/,
  /^.*service[-_]?account.*\.json$/,
  /^.+\.tfvars(?:\.json)?$/,
  /^.*\.tfstate(?:\.backup)?$/,
];

const PLACES: readonly RegExp[] = [
  /(?:^|\/)\.aws\/credentials$/,
  /(?:^|\/)\.docker\/config\.json$/,
  /(?:^|\/)\.kube\/config$/,
  /(?:^|\/)\.ssh\/(?!known_hosts$|config$|.*\.pub$)/,
  /(?:^|\/)\.gnupg\//,
];

/** Whether the name of a file, a path with `/`, is one under which secrets are usually kept. */
export function looksSecret(path: string): boolean {
  const folded = path.toLowerCase();
  const name = folded.slice(folded.lastIndexOf("/") + 1);
  return NAMES.some((pattern) => pattern.test(name)) ||
    PLACES.some((pattern) => pattern.test(folded));
}

/** The new files among changes that look secret: nothing commits them unless they are named. */
export function newSecrets(
  changes: readonly { readonly path: string; readonly code: string }[],
): string[] {
  return changes.filter(({ path, code }) =>
    (code === "??" || code.slice(0, 2).includes("A")) && looksSecret(path)
  )
    .map(({ path }) => path);
}

/** Paths that a message names. */
const MOST_NAMED = 3;
/** Paths that facts hold. */
const MOST_KEPT = 20;

/** Tells which files are guarded. */
export interface Guard {
  /** Whether nothing is guarded, so that nobody has to look. */
  readonly isEmpty: boolean;
  /** The glob, as it is written, that guards a path relative to its repository; null when none does. */
  glob(path: string): string | null;
}

/** What is asked of letting guarded files go. */
export interface GuardInput {
  readonly allow_no_touch?: readonly string[] | undefined;
}

/** The member of an input by which a person lets guarded files go. */
// deno-lint-ignore explicit-module-boundary-types -- only the construction itself can spell the type
export const allowNoTouch = (z: ZodNamespace) =>
  onlyTyped(
    z.array(z.string().min(1)).optional().describe(
      "Let this no-touch path or glob go; must be confirmed by typing",
    ),
  );

/** A guarded file that would be sent or committed. */
export interface Touch {
  readonly path: string;
  readonly glob: string;
  /** The newest commit that touches it; null where it is not committed yet. */
  readonly commit: string | null;
}

/** A glob without what only says the same: `./` and `/` in front, `/` at the end. */
function plain(glob: string): string {
  return glob.replace(/^(?:\.?\/+)+/, "").replace(/\/+$/, "");
}

/** Why a text is no glob that could guard anything, or null. */
export function globProblem(glob: string): string | null {
  const bare = plain(glob);
  if (bare === "") return "It is empty";
  if (glob.startsWith("!")) return "There are no exceptions from what is guarded";
  if (bare.split("/").includes("..")) return "It leads out of the repository";
  try {
    expressions(glob);
  } catch {
    return "It is not a glob";
  }
  return /[^\P{Cc}]/u.test(glob) ? "It has a control character" : null;
}

const OPTIONS = { extended: false, globstar: true };

/**
 * Expressions for everything a glob guards: what it matches, and all below it. A glob without a slash counts in every
 * directory.
 */
function expressions(glob: string): string[] {
  const bare = plain(glob);
  const anywhere = bare.includes("/") ? bare : `**/${bare}`;
  // A glob for a whole directory also guards the name itself, which a file or link could take.
  const itself = anywhere.replace(/(?:\/\*\*)+$/, "");
  return [...new Set([anywhere, `${anywhere}/**`, itself])].map((each) =>
    globToRegExp(folded(each), OPTIONS).source
  );
}

/** One spelling for names that are the same file on some systems. */
function folded(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** The guard of some globs. */
export async function makeGuard(globs: readonly string[]): Promise<Guard> {
  if (globs.length === 0) return { isEmpty: true, glob: () => null };
  // The globs are a repository's own: they run in linear time, whatever they are.
  const { RE2JS } = await import("re2js");
  const patterns = [...new Set(globs)].map((glob) => {
    try {
      return { glob, pattern: RE2JS.compile(expressions(glob).join("|"), RE2JS.DOTALL) };
    } catch {
      throw new AmofError(
        "manifest_invalid",
        `Cannot tell what "${cleanLine(glob, 60)}" of guardrails.no_touch_paths guards`,
        { hint: "Write globs such as secrets/** or *.pem: amof manifest validate" },
      );
    }
  });
  const known = new Map<string, string | null>();
  return {
    isEmpty: false,
    glob: (path) =>
      known.getOrInsertComputed(path, () => {
        const name = folded(path);
        return patterns.find(({ pattern }) => pattern.matches(name))?.glob ?? null;
      }),
  };
}

/** A guard that lets some paths or globs go. */
export function allowing(guard: Guard, allowed: readonly string[]): Guard {
  return allowed.length === 0 ? guard : {
    isEmpty: guard.isEmpty,
    glob(path) {
      const glob = guard.glob(path);
      return glob === null || allowed.includes(path) || allowed.includes(glob) ? null : glob;
    },
  };
}

/** Which of some paths are guarded; those that are allowed, by name or by their glob, are left out. */
export function touches(
  guard: Guard,
  paths: Iterable<string | { readonly path: string; readonly commit: string }>,
  allowed: readonly string[] = [],
): Touch[] {
  const found = new Map<string, Touch>();
  for (const item of paths) {
    const { path, commit } = typeof item === "string" ? { path: item, commit: null } : item;
    const glob = guard.glob(path);
    if (glob === null || allowed.includes(path) || allowed.includes(glob)) continue;
    if (!found.has(path)) found.set(path, { path, glob, commit });
  }
  return [...found.values()];
}

/** The guarded files that commits touch. No process where nothing is guarded, else those of `git.sending.touched`. */
export async function touchedBy(
  repo: Repository,
  guard: Guard,
  sent: Sent,
  allowed: readonly string[] = [],
): Promise<Touch[]> {
  if (guard.isEmpty) return [];
  const wanted = (path: string) => guard.glob(path) !== null;
  return touches(guard, await repo.sending.touched(sent, wanted), allowed);
}

/** "secrets/key.pem (secrets/**, in 4e8c1d7)" for the first of them, and how many more there are. */
export function touchText(found: readonly Touch[]): string {
  const named = found.slice(0, MOST_NAMED).map(({ path, glob, commit }) =>
    `${cleanLine(path, 80)} (${cleanLine(glob, 60)}${
      commit === null ? "" : `, in ${shortSha(commit)}`
    })`
  );
  const more = found.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${count(more, "more file")}` : ""}`;
}

/** As many of them as facts hold. */
export function keptTouches(found: readonly Touch[]): readonly Touch[] {
  return found.slice(0, MOST_KEPT);
}
