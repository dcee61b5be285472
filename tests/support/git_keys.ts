/**
 * Brings `tests/fixtures/git_keys.txt` up to date with the documentation of a git: `deno task git-keys`, which asks the
 * one of `PATH` and reads its manual. What is new gets a question mark, which a person replaces by a judgement.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";

const FILE = fromFileUrl(new URL("../fixtures/git_keys.txt", import.meta.url));

/** A line of the file: how a key was judged, the key, and for `some` a value that nobody has to look at. */
export interface Judged {
  readonly judgement: string;
  readonly key: string;
  readonly sample: string;
}

/** All lines of the file but its comments. */
export function judgedKeys(): Judged[] {
  return Deno.readTextFileSync(FILE).split("\n").filter((line) => /^[^#]/.test(line))
    .map((line) => {
      const [judgement = "", key = "", ...sample] = line.split(" ");
      return { judgement, key, sample: sample.join(" ") };
    });
}

async function git(...args: string[]): Promise<string> {
  const { code, stdout } = await new Deno.Command("git", { args, stderr: "inherit" }).output();
  if (code !== 0) throw new Error(`git ${args.join(" ")} ended with ${code}`);
  return new TextDecoder().decode(stdout);
}

/** The keys that a git knows, as its help lists them. */
export async function documentedKeys(): Promise<string[]> {
  return (await git("help", "--config")).split("\n")
    // Behind the last key stands where to read more.
    .filter((line) => /^[A-Za-z]\S*\.\S+$/.test(line) && line !== "extensions.*");
}

/** A page of git's manual, as it lies on the disk. */
async function manual(section: number, name: string): Promise<string> {
  const place = join((await git("--man-path")).trim(), `man${section}`, `${name}.${section}`);
  try {
    return await Deno.readTextFile(place);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const file = await Deno.open(`${place}.gz`);
  const text = file.readable.pipeThrough(new DecompressionStream("gzip"));
  return await new Response(text).text();
}

/** The keys of `extensions`, which the help lists as one. */
async function extensions(): Promise<string[]> {
  const page = (await manual(1, "git-config")).replaceAll("\\&", "").replaceAll("\\-", "-");
  const lines = page.slice(page.indexOf("\nextensions.*\n") + 1).split("\n").slice(1);
  const found: string[] = [];
  let depth = 0;
  for (const [at, line] of lines.entries()) {
    if (line.startsWith(".RS")) {
      if (depth === 1 && /^[a-z][\w-]+$/i.test(lines[at - 1] ?? "")) {
        found.push(`extensions.${lines[at - 1]}`);
      }
      depth++;
    }
    if (line.startsWith(".RE") && --depth === 0) break;
  }
  return found;
}

/** The events that hooks run for. */
async function events(): Promise<string[]> {
  const page = (await manual(5, "githooks")).replaceAll("\\-", "-");
  const hooks = page.slice(page.indexOf('.SH "HOOKS"'));
  return [...hooks.matchAll(/^\.SS "?([\w-]+)"?$/gm)].map(([, name = ""]) => name);
}

if (import.meta.main) {
  const text = await Deno.readTextFile(FILE);
  const known = new Set(judgedKeys().map(({ key }) => key));
  const all = [
    ...[...await documentedKeys(), ...await extensions()],
    ...(await events()).map((event) => `hook:${event}`),
  ];
  const fresh = [...new Set(all)].filter((key) => !known.has(key));
  await Deno.writeTextFile(FILE, `${text}${fresh.map((key) => `? ${key}\n`).join("")}`);
  await new Response(`${await git("version")}${fresh.length} keys to judge\n`).body
    ?.pipeTo(Deno.stdout.writable);
}
