/**
 * Runs tests: `main.ts RUN [FLAGS] [TEST FILES]` with a run of `RUNS`, or the files alone. While they run one line
 * counts, failures are shown in full, and the last line is `N passed, N failed`.
 *
 * - `--verbose`: a line per test
 * - `--half`: the long run leaves out what belongs to the binary, that of the binary has nothing else
 * - `--since COMMIT`: of the thorough run what belongs to the rooms that have changed since
 * - any other flag, such as `--filter WORDS`, is one of `deno test`
 *
 * Several files run as one (`groups.ts`), and the program that they start is a bundle made for this run: both lie in a
 * directory of its own, so that runs beside each other do not meet.
 *
 * @module
 */

import { fromFileUrl, join, relative, resolve, toFileUrl } from "@std/path";
import { bundle } from "../support/bundle.ts";
import { Counter, drawable } from "./counter.ts";
import { filesOf, folderOf, isRun, takersOf, type TestFile, testFiles } from "./files.ts";
import { groupsOf } from "./groups.ts";
import { Report } from "./report.ts";
import { thoroughAfter } from "./rooms.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** What a run left that was ended from outside is removed by one that comes so much later. */
const LEFT_MS = 24 * 60 * 60_000;

/** Folders whose tests start the program that breaks itself. */
const BROKEN = new Set(["engines", "faults"]);

/** That often is asked whether the count is to be shown anew. */
const TICK_MS = 250;

/** Flags of this program that stand alone. */
const OWN = new Set(["--verbose", "--half"]);
/** Flags of \`deno test\` whose value may be the next word. */
const WITH_VALUE = new Set(["--filter", "--junit-path"]);

interface Flags {
  readonly verbose: boolean;
  readonly half: boolean;
  readonly since: string | null;
  /** Those of `deno test`. */
  readonly others: readonly string[];
}

/** The paths that have changed since a commit. */
async function changedSince(commit: string): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: ["diff", "--name-only", commit, "HEAD"],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).split("\n").filter((path) => path !== "");
}

/** The test files that are asked for: those of the run, or those that are named or lie below what is named. */
async function chosen(
  run: string,
  named: readonly string[],
  { half, since }: Flags,
): Promise<TestFile[]> {
  if (!isRun(run)) throw new Error(`"${run}" is no run of tests`);
  const files = testFiles(ROOT);
  const takers = takersOf(ROOT);
  if (since !== null) {
    const thorough = new Set(thoroughAfter(await changedSince(since), takers));
    return files.filter(({ path }) => thorough.has(path));
  }
  if (named.length === 0) return filesOf(run, files, { half, takers });
  return named.flatMap((name) => {
    const place = relative(ROOT, resolve(name)).replaceAll("\\", "/");
    const found = files.filter(({ path }) => path === place || path.startsWith(`${place}/`));
    // Also one that lies elsewhere.
    if (found.length === 0 && name.endsWith("_test.ts")) return [{ path: place, bytes: 0 }];
    if (found.length === 0) throw new Error(`No test file is called "${name}" or lies below it`);
    return found;
  });
}

/** Writes a module per group into a directory; answers their paths. */
async function written(files: readonly TestFile[], directory: string): Promise<string[]> {
  await Deno.mkdir(directory, { recursive: true });
  return await Promise.all(
    groupsOf(files).map(async ({ folder, paths }, index) => {
      const path = join(directory, `${String(index).padStart(2, "0")}_${folder}_test.ts`);
      const lines = paths.map((each) =>
        `import ${JSON.stringify(toFileUrl(join(ROOT, each)).href)};\n`
      );
      await Deno.writeTextFile(path, lines.join(""));
      return path;
    }),
  );
}

/** How many columns there are to draw a line in. */
function columns(): number | null {
  const isTerminal = Deno.stdout.isTerminal();
  try {
    const { columns } = Deno.consoleSize();
    return drawable({ isTerminal, term: Deno.env.get("TERM"), columns });
  } catch {
    return null;
  }
}

function write(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

/** The lines of a stream, without colours. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    // deno-lint-ignore no-control-regex -- the escapes of a terminal
    for (const line of lines) yield line.replace(/\x1b\[[0-9;]*[A-Za-z]|\r/g, "");
  }
  if (rest !== "") yield rest;
}

/** Where worlds lie: for a binary not in memory, because the runtime lets no compiled program in there. */
function worlds(): Readonly<Record<string, string>> {
  const binary = Deno.env.get("AMOF_BIN");
  if (!binary || Deno.env.has("AMOF_TEST_DIR") || Deno.build.os === "windows") return {};
  return { AMOF_TEST_DIR: Deno.env.get("TMPDIR") ?? "/tmp" };
}

/** Runs groups of tests with a program to start; answers whether all passed. */
async function run(groups: readonly string[], directory: string, flags: Flags): Promise<boolean> {
  const env = {
    NO_COLOR: "1",
    DENO_JOBS: String(navigator.hardwareConcurrency + 2),
    RUST_BACKTRACE: "0",
    AMOF_ENTRY: join(directory, "program", "main.js"),
    AMOF_FAULTY: join(directory, "faulty", "fault_main.js"),
    ...worlds(),
  };
  const args = [
    ...["test", "--quiet", "--no-check", "--parallel", "--allow-all"],
    ...["--config", join(ROOT, "deno.json"), "--v8-flags=--min-semi-space-size=16"],
    ...flags.others,
    ...groups,
  ];
  const child = new Deno.Command(Deno.execPath(), {
    args,
    cwd: ROOT,
    env,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // An interrupt is for the tests; this program waits for what they say and tidies up.
  Deno.addSignalListener("SIGINT", () => {});
  if (Deno.build.os !== "windows") {
    for (const signal of ["SIGTERM", "SIGHUP"] as const) {
      Deno.addSignalListener(signal, () => child.kill("SIGINT"));
    }
  }
  const report = new Report(flags);
  const began = Date.now();
  const ms = () => Date.now() - began;
  const counter = new Counter(report, { ms, columns, write });
  const ticking = setInterval(() => counter.tick(), TICK_MS);
  const [code, , stderr] = await Promise.all([
    child.status.then(({ code }) => code),
    (async () => {
      for await (const line of linesOf(child.stdout)) counter.say(report.take(line));
    })(),
    new Response(child.stderr).text(),
  ]);
  clearInterval(ticking);
  const { lines, success } = report.end(code, stderr, ms());
  counter.say(lines);
  return success;
}

/** Removes what lies in a directory of runs that are long gone. */
async function sweep(directory: string): Promise<void> {
  for await (const { name } of Deno.readDir(directory)) {
    if (!name.startsWith("tests-")) continue;
    try {
      const { mtime } = await Deno.stat(join(directory, name));
      if (Date.now() - (mtime?.getTime() ?? 0) < LEFT_MS) continue;
      await Deno.remove(join(directory, name), { recursive: true });
    } catch {
      // Another run was first.
    }
  }
}

/** Where the groups and the program of this run lie, until it ends. */
async function withDirectory(work: (directory: string) => Promise<boolean>): Promise<boolean> {
  await Deno.mkdir(join(ROOT, "bin"), { recursive: true });
  await sweep(join(ROOT, "bin"));
  const directory = await Deno.makeTempDir({ dir: join(ROOT, "bin"), prefix: "tests-" });
  // Some tests start the program as another user.
  if (Deno.build.os !== "windows") await Deno.chmod(directory, 0o755);
  try {
    return await work(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Splits a command line into its words and flags; a flag of `deno test` keeps its value. */
function read(
  line: readonly string[],
): { readonly words: readonly string[]; readonly flags: Flags } {
  // The first one is what tells `deno task` that the rest is not its own.
  const rest = line.filter((word, index) => word !== "--" || line.indexOf("--") !== index);
  const [words, others]: [string[], string[]] = [[], []];
  let since: string | null = null;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? "";
    if (word === "--since") since = rest[++at] ?? "";
    else if (WITH_VALUE.has(word)) others.push(word, rest[++at] ?? "");
    else if (!word.startsWith("-")) words.push(word);
    else if (!OWN.has(word)) others.push(word);
  }
  return {
    words,
    flags: {
      verbose: rest.includes("--verbose"),
      half: rest.includes("--half"),
      since,
      others,
    },
  };
}

/** Carries a command line out; answers the exit code. */
async function main(line: readonly string[]): Promise<number> {
  const { words, flags } = read(line);
  const [kind = "quick", ...named] = words;
  const files = await chosen(kind, named, flags);
  if (flags.since !== null && files.length === 0) {
    write("Nothing that takes a sample belongs to what has changed.\n\n0 passed, 0 failed\n");
    return 0;
  }
  if (kind === "thorough") Deno.env.set("AMOF_TEST_THOROUGHLY", "1");
  const success = await withDirectory(async (directory) => {
    const isBroken = files.some((file) => BROKEN.has(folderOf(file)));
    await Promise.all([
      ...Deno.env.get("AMOF_BIN")
        ? []
        : [bundle(join(ROOT, "main.ts"), join(directory, "program"))],
      ...isBroken
        ? [bundle(join(ROOT, "tests/support/fault_main.ts"), join(directory, "faulty"))]
        : [],
    ]);
    return await run(await written(files, directory), directory, flags);
  });
  return success ? 0 : 1;
}

if (import.meta.main) {
  try {
    Deno.exit(await main(Deno.args));
  } catch (error) {
    write(`${error instanceof Error ? error.message : error}\n\n0 passed, 1 failed\n`);
    Deno.exit(2);
  }
}
