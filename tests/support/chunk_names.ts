/**
 * Names the parts of a bundle by what they hold. The bundler names them by where their source lies as well, so that the
 * same source in another directory gives other names, and a binary of other bytes.
 *
 * @module
 */

import { join } from "@std/path";
import { createHash } from "node:crypto";

/** How the bundler names a part: a word, and eight characters of its own. */
const PART = /([\w.]+)-[A-Z0-9]{8}\.js/g;
/** Characters of a name that are told apart on every file system. */
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LENGTH = 8;

function lettersOf(text: string): string {
  const digest = createHash("sha256").update(text).digest();
  return Array.from(digest.subarray(0, LENGTH), (byte) => LETTERS[byte % LETTERS.length]).join("");
}

/**
 * The new name of each part of a bundle, by its old one; `texts` are all files of the bundle by name. Names follow from
 * the contents of a part and of all that it leads to. Throws where two parts cannot be told apart.
 */
export function namesByContent(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const parts = [...texts.keys()].filter((name) => name.replace(PART, "") === "");
  let names = new Map(parts.map((name) => [name, name.replace(PART, "$1.js")]));
  // Parts may lead to each other in circles, so what tells them apart is taken in from one step further each time.
  for (let told = 0; told < distinct(names);) {
    told = distinct(names);
    const before = names;
    names = new Map(parts.map((name) => {
      const letters = lettersOf(renamed(texts.get(name) ?? "", before));
      return [name, name.replace(PART, `$1-${letters}.js`)];
    }));
  }
  const full = parts.filter((name) => texts.get(name)?.trim() !== "");
  // Those that hold nothing are one.
  if (new Set(full.map((name) => names.get(name))).size < full.length) {
    throw new Error("Two parts of the bundle hold the same and cannot be named by it");
  }
  return names;
}

function distinct(names: ReadonlyMap<string, string>): number {
  return new Set(names.values()).size;
}

function renamed(text: string, names: ReadonlyMap<string, string>): string {
  return text.replace(PART, (name) => names.get(name) ?? name);
}

/** What a bundle's program leads to, itself included: of all files in the directory of a bundle, which may hold older ones. */
function reached(
  texts: ReadonlyMap<string, string>,
  program: string,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const ahead = [program];
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const text = texts.get(name);
    if (text === undefined || found.has(name)) continue;
    found.set(name, text);
    ahead.push(...[...text.matchAll(PART)].map(([part]) => part));
  }
  return found;
}

/** Renames the parts of the bundle in a directory, and removes those of older bundles. */
export async function nameByContent(directory: string, program = "main.js"): Promise<void> {
  const all = new Map<string, string>();
  for await (const { name } of Deno.readDir(directory)) {
    if (name.endsWith(".js")) all.set(name, await Deno.readTextFile(join(directory, name)));
  }
  const texts = reached(all, program);
  const names = namesByContent(texts);
  for (const name of all.keys()) await Deno.remove(join(directory, name));
  for (const [name, text] of texts) {
    await Deno.writeTextFile(join(directory, names.get(name) ?? name), renamed(text, names));
  }
}
