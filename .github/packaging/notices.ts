/**
 * The notices of what others wrote and the program contains: the runtime, and the npm packages that it imports with
 * all that these depend on.
 *
 * @module
 */

import { join } from "@std/path";
import { ROOT } from "./root.ts";
import { run } from "./tools.ts";

/** A package as `deno info` tells of it. */
export interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly string[];
  readonly localPath: string;
}

interface Info {
  readonly modules: readonly { readonly specifier: string }[];
  readonly npmPackages: Readonly<Record<string, Package>>;
}

/** The keys of the packages that the program imports, and of all that they depend on. */
function reached({ modules, npmPackages }: Info): string[] {
  const imported = new Set(
    modules.flatMap(({ specifier }) =>
      /^npm:\/((?:@[^/]+\/)?[^/@]+@[^/]+)/.exec(specifier)?.[1] ?? []
    ),
  );
  const keys = Object.keys(npmPackages);
  // A key may say behind the version which of the packages it was resolved beside.
  const open = keys.filter((key) => imported.has(key.split("_")[0] ?? "") || imported.has(key));
  const found = new Set<string>();
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    open.push(...npmPackages[key]?.dependencies ?? []);
  }
  return [...found].toSorted();
}

const LICENCE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

/** The licence of a package in its own words, else its name. */
async function licenceOf({ localPath, name }: Package): Promise<string> {
  const files = (await Array.fromAsync(Deno.readDir(localPath))).filter((entry) =>
    entry.isFile && LICENCE.test(entry.name)
  )
    .map((entry) => entry.name).toSorted();
  const texts = await Promise.all(files.map((file) => Deno.readTextFile(join(localPath, file))));
  if (texts.length > 0) return texts.map((text) => text.replaceAll("\r", "").trim()).join("\n\n");
  const { license, author } = JSON.parse(await Deno.readTextFile(join(localPath, "package.json")));
  if (typeof license !== "string") {
    throw new Error(`${name} says nowhere under which licence it is`);
  }
  return `Licence: ${license}${typeof author === "string" ? `, by ${author}` : ""}`;
}

async function own(file: string): Promise<string> {
  return (await Deno.readTextFile(new URL(`./licences/${file}`, import.meta.url))).trim();
}

/** The packages that the program contains, by name. */
export async function containedPackages(): Promise<readonly Package[]> {
  const info = JSON.parse(
    await run(Deno.execPath(), ["info", "--json", "main.ts"], { cwd: ROOT }),
  ) as Info;
  return reached(info).flatMap((key) => info.npmPackages[key] ?? []);
}

/** All notices; packages with the same words stand together. */
export async function thirdPartyNotices(): Promise<string> {
  const byText = new Map<string, string[]>([
    [await own("deno.txt"), ["the Deno runtime"]],
    [await own("v8.txt"), ["V8, in the Deno runtime"]],
  ]);
  for (const found of await containedPackages()) {
    const text = await licenceOf(found);
    byText.set(text, [...byText.get(text) ?? [], `${found.name} ${found.version}`]);
  }
  return [
    "amof contains the work of others, under the terms below.",
    "",
    ...[...byText].flatMap(([text, names]) => [
      "-".repeat(80),
      [...new Set(names)].join("\n"),
      "",
      text,
      "",
    ]),
  ].join("\n");
}
