/** A box as arguments of bubblewrap, on Linux. */

import { join } from "@std/path";
import type { BoxPlan, Rule } from "./plan.ts";

/** What every box is apart from: other users' numbers, processes, messages, names; and it has no rights to change that. */
const APART: readonly string[] = [
  "--unshare-user",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  "--cap-drop",
  "ALL",
  "--die-with-parent",
];

/** Where the box keeps what is its own, in a private directory outside of it. */
export const OWN = {
  /** Takes the place of each private directory. */
  temporary: (index: number) => `own-${index}`,
  /** Takes the place of hidden files. */
  empty: "empty",
  /** The filter of system calls. */
  filter: "filter",
} as const;

function mounts(rule: Rule, own: string, index: number): readonly string[] {
  const { path, kind, access } = rule;
  switch (access) {
    case "read":
      return ["--ro-bind", path, path];
    case "write":
      return ["--bind", path, path];
    case "none":
      return kind === "directory" ? ["--tmpfs", path] : ["--ro-bind", join(own, OWN.empty), path];
    case "private":
      return path === "/dev"
        ? ["--dev", path]
        : path === "/proc"
        ? ["--proc", path]
        : ["--bind", join(own, OWN.temporary(index)), path];
  }
}

/** The places of a plan that need a directory of the box's own, in the order of {@linkcode OWN.temporary}. */
export function privatePlaces({ rules }: BoxPlan): readonly string[] {
  return rules.filter(({ path, access }) =>
    access === "private" && path !== "/dev" && path !== "/proc"
  ).map(({ path }) => path);
}

/**
 * The arguments of bubblewrap for a plan; `own` is the private directory of the box. `session` gives programs a
 * session without a terminal.
 */
export function bubblewrapArguments(
  plan: BoxPlan,
  { own, session }: { readonly own: string; readonly session: boolean },
): readonly string[] {
  const places = privatePlaces(plan);
  const closed = plan.rules.filter(({ kind, access }) => access === "none" && kind === "directory");
  return [
    ...APART,
    ...(plan.network === "none" ? ["--unshare-net"] : []),
    ...(session ? ["--new-session"] : []),
    "--ro-bind",
    "/",
    "/",
    ...plan.rules.flatMap((rule) => mounts(rule, own, places.indexOf(rule.path))),
    ...plan.links.flatMap(({ path, target }) => ["--symlink", target, path]),
    // A hidden directory must not look writable.
    ...closed.flatMap(({ path }) => ["--remount-ro", path]),
  ];
}

/** The arguments that try whether bubblewrap can make a box here at all. */
export function trialArguments(network: BoxPlan["network"]): readonly string[] {
  return [
    ...APART,
    ...(network === "none" ? ["--unshare-net"] : []),
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
  ];
}
