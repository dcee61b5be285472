/**
 * Tests with a git that is newer than the one of this machine: `main.ts DIRECTORY [TEST FILES]`, by default the stories
 * and what is about git and programs of forges; `main.ts --make DIRECTORY` only makes the directory. `deno task test:newest`.
 *
 * The directory holds another suite of Debian with its git, and is made where it is not there: that needs root, apt and
 * mmdebstrap. The tests run inside, with this checkout and the cache of the runtime, in mounts of their own.
 * `GIT_DEFAULT_REF_FORMAT=reftable` and `GIT_DEFAULT_HASH=sha256` are handed on; with the first, clones that the program
 * makes have tables, too, as those have that their users migrate.
 *
 * @module
 */

import { dirname, fromFileUrl, join, resolve } from "@std/path";

const ROOT = fromFileUrl(new URL("../..", import.meta.url)).replace(/\/$/, "");
/** The suite in which everything is newest. */
const SUITE = "sid";
const PACKAGES = ["git", "gh", "glab", "ca-certificates", "curl", "openssh-client", "procps"];
const USUAL = [
  "tests/stories_test.ts",
  "tests/unit/git/reftable_test.ts",
  "tests/unit/git/repository_test.ts",
  "tests/unit/git/surroundings_test.ts",
  "tests/unit/git/seal/harmless_test.ts",
  "tests/scenario/seals_test.ts",
  "tests/scenario/sync_test.ts",
  "tests/scenario/pr_programs_test.ts",
];
const HANDED_ON = ["GIT_DEFAULT_REF_FORMAT", "GIT_DEFAULT_HASH", "NO_COLOR"];

async function output(command: string, ...args: string[]): Promise<string> {
  const { success, stdout } = await new Deno.Command(command, { args, stderr: "inherit" }).output();
  if (!success) throw new Error(`${command} failed`);
  return new TextDecoder().decode(stdout);
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

/** Makes the directory, from where this machine has its own packages. */
async function make(directory: string): Promise<void> {
  const format = "$(REPO_URI) $(COMPONENT) $(RELEASE)";
  const targets = await output(
    "apt-get",
    "indextargets",
    "--format",
    format,
    "Created-By: Packages",
  );
  const [mirror] = targets.split("\n").map((line) => line.split(" "))
    .filter(([, component, release = ""]) => component === "main" && !/security/.test(release))
    .map(([uri = ""]) => uri);
  if (mirror === undefined) throw new Error("apt names no place of packages");
  await output(
    "mmdebstrap",
    "--quiet",
    "--variant=minbase",
    '--aptopt=Acquire::Check-Valid-Until "false"',
    `--include=${PACKAGES.join(",")}`,
    SUITE,
    directory,
    `deb ${mirror} ${SUITE} main`,
  );
}

/** Git, but for what the program says of the format of new clones; mirrors are its own, and stay in files. */
const IN_TABLES = `#!/bin/sh
for word do [ "$word" != --bare ] || exec /usr/bin/git "$@"; done
for word do
  shift
  [ "$word" != init.defaultRefFormat=files ] || word=init.defaultRefFormat=reftable
  set -- "$@" "$word"
done
exec /usr/bin/git "$@"
`;

/** Makes a place inside for that git, where a run asks for tables; answers where programs are looked for. */
async function programs(directory: string): Promise<string> {
  const usual = "/usr/bin:/bin";
  if (Deno.env.get("GIT_DEFAULT_REF_FORMAT") !== "reftable") return usual;
  const place = "/opt/tables";
  await Deno.mkdir(join(directory, place), { recursive: true });
  // Another run may be starting the one that is there.
  const made = join(directory, place, `.git-${Deno.pid}`);
  await Deno.writeTextFile(made, IN_TABLES, { mode: 0o755 });
  await Deno.rename(made, join(directory, place, "git"));
  return `${place}:${usual}`;
}

/** Runs a program inside; answers its exit code. */
async function inside(directory: string, places: readonly string[], words: readonly string[]) {
  const script = [
    "set -e",
    "mount --make-rprivate /",
    'mount -t proc proc "$1/proc"',
    'mount --rbind /dev "$1/dev"',
    'root=$1; shift; while [ "$1" != -- ]; do mkdir -p "$root$1"; mount --bind "$1" "$root$1"; shift; done',
    'shift; exec chroot "$root" "$@"',
  ].join("\n");
  const handed = HANDED_ON.map((name) => [name, Deno.env.get(name)] as const)
    .flatMap(([name, value]) => value === undefined ? [] : [`${name}=${value}`]);
  const { code } = await new Deno.Command("unshare", {
    stdout: "inherit",
    stderr: "inherit",
    args: [
      ...["--mount", "sh", "-c", script, "sh", directory, ...places, "--"],
      ...[
        "env",
        "-i",
        "HOME=/root",
        `PATH=${await programs(directory)}`,
        "LANG=C.UTF-8",
        ...handed,
        ...words,
      ],
    ],
  }).spawn().status;
  return code;
}

const onlyMakes = Deno.args[0] === "--make";
const [given, ...files] = onlyMakes ? Deno.args.slice(1) : Deno.args;
if (given === undefined) throw new Error("Name a directory, for a suite that is made there");
const directory = resolve(given);
if (!await exists(join(directory, "usr", "bin", "git"))) await make(directory);
if (onlyMakes) Deno.exit(await inside(directory, [], ["git", "version"]));
const { denoDir } = JSON.parse(await output(Deno.execPath(), "info", "--json")) as {
  denoDir: string;
};
const places = [ROOT, dirname(Deno.execPath()), denoDir];
await inside(directory, places, ["git", "version"]);
Deno.exit(
  await inside(directory, places, [
    ...["env", "-C", ROOT, `DENO_DIR=${denoDir}`, Deno.execPath()],
    ...["run", "--quiet", "--allow-all", "tests/runner/main.ts", "quick"],
    ...(files.length === 0 ? USUAL : files),
  ]),
);
