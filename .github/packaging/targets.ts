/**
 * The systems there are packages for, each under the names that others have for it.
 *
 * @module
 */

/** One system. */
export interface Target {
  /** In Node's words, as files are named: `linux-x64`. */
  readonly name: string;
  /** What `deno compile --target` takes. */
  readonly triple: string;
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
  /** The name of the program's file. */
  readonly program: "amof" | "amof.exe";
  /** Debian's name for the processor; null where there is no .deb. */
  readonly debian: "amd64" | "arm64" | null;
}

function target(os: Target["os"], cpu: Target["cpu"]): Target {
  const processor = cpu === "x64" ? "x86_64" : "aarch64";
  const system = {
    linux: "unknown-linux-gnu",
    darwin: "apple-darwin",
    win32: "pc-windows-msvc",
  }[os];
  return {
    name: `${os}-${cpu}`,
    triple: `${processor}-${system}`,
    os,
    cpu,
    program: os === "win32" ? "amof.exe" : "amof",
    debian: os === "linux" ? cpu === "x64" ? "amd64" : "arm64" : null,
  };
}

/** The targets of a release. */
export const TARGETS: readonly Target[] = [
  target("linux", "x64"),
  target("linux", "arm64"),
  target("darwin", "arm64"),
  target("darwin", "x64"),
  target("win32", "x64"),
];

/** The target of a name; throws a `TypeError` for another one. */
export function targetOf(name: string): Target {
  const found = TARGETS.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new TypeError(
    `There are no packages for ${name}, but for ${TARGETS.map((each) => each.name).join(", ")}`,
  );
}

/** The target of this machine. */
export function targetHere(): Target {
  const os = { linux: "linux", darwin: "darwin", windows: "win32" }[Deno.build.os as string] ??
    Deno.build.os;
  return targetOf(`${os}-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}`);
}
