/**
 * Which program a git call has failed for that is not on this machine: git-lfs and other filters, ssh, a signing
 * program, the helper of a kind of remote, what a hook starts.
 */

/** What a shell says of a program that it cannot find, in its words of dash, bash, zsh and BusyBox. */
const SHELL =
  /^(?!remote:).*?(?:: (?:line )?\d+)?: (?:\d+: )?(?<name>[^:\s]+): (?:command )?not found$|^(?!remote:).*command not found: (?<late>\S+)$/m;
/** What git itself says of one. */
const GIT = [
  /^(?:error|fatal): cannot (?:run|exec) '?(?<name>[^':]+)'?: No such file or directory$/m,
  /(?:^|\s)'?(?<name>git-lfs)'? was not found on your path/im,
] as const;
/** Git's word for a program of its own that is none: of helpers for credentials, signing in says what to do. */
const COMMAND = /^git: '(?<name>(?!credential-)[^']+)' is not a git command/m;
/** What makes the missing program of a shell why git failed, and no remark of a hook that went on. */
const BECAUSE =
  /failed 127$|^error: (?:packet write|initialization for subprocess)|filter '?[^\n]*'? failed$|the remote end hung up unexpectedly|could not read from remote repository/im;
/** What runs at the other end of a connection. */
const REMOTE_ONES = /^git-(?:upload|receive)-pack$/;

/** The program that git could not start, as it was called; null where that is not why it failed. */
export function missingProgram(stderr: string): string | null {
  for (const pattern of GIT) {
    const name = pattern.exec(stderr)?.groups?.["name"];
    if (name !== undefined) return name;
  }
  const command = COMMAND.exec(stderr)?.groups?.["name"];
  if (command !== undefined) return `git-${command}`;
  if (!BECAUSE.test(stderr)) return null;
  const { name, late } = SHELL.exec(stderr)?.groups ?? {};
  const found = name ?? late;
  return found === undefined || REMOTE_ONES.test(found) ? null : found;
}
