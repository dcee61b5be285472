/**
 * The npm packages: `amof`, which starts the program, and one package for each system that holds it.
 *
 * @module
 */

import { join } from "@std/path";
import type { Release } from "./contents.ts";
import { PROJECT } from "./project.ts";
import { ROOT } from "./root.ts";
import { type Target, TARGETS } from "./targets.ts";
import { emptied, json, run, setTimes, stage } from "./tools.ts";

const COMMON = {
  version: PROJECT.version,
  license: PROJECT.license,
  repository: { type: "git", url: `git+${PROJECT.homepage}.git` },
} as const;

/** The name of a system's package. */
export function npmName(target: Target): string {
  return `@amof/${target.name}`;
}

/** The manifest of a system's package. */
export function platformManifest(target: Target): Record<string, unknown> {
  const program = `bin/${target.program}`;
  return {
    name: npmName(target),
    description: `The program of amof for ${target.name}${
      target.os === "linux" ? " with glibc" : ""
    }`,
    ...COMMON,
    os: [target.os],
    cpu: [target.cpu],
    ...target.os === "linux" ? { libc: ["glibc"] } : {},
    bin: { amof: program, agentpack: program },
    files: ["bin", "THIRD_PARTY_NOTICES"],
    preferUnplugged: true,
  };
}

/** The manifest of the package that people install. */
export function wrapperManifest(): Record<string, unknown> {
  return {
    name: PROJECT.name,
    description: PROJECT.title,
    keywords: PROJECT.keywords,
    homepage: PROJECT.homepage,
    ...COMMON,
    mcpName: `io.github.${PROJECT.homepage.split("/").at(-2)}/amof`,
    bin: { amof: "bin/amof.js", agentpack: "bin/agentpack.js" },
    files: ["bin", "THIRD_PARTY_NOTICES"],
    engines: { node: ">=18" },
    optionalDependencies: Object.fromEntries(
      TARGETS.map((target) => [npmName(target), PROJECT.version]),
    ),
  };
}

async function pack(release: Release, directory: string): Promise<string> {
  await setTimes(directory, release.epoch);
  const told = await run("npm", ["pack", "--json", "--pack-destination", release.output], {
    cwd: directory,
  });
  const [{ filename }] = JSON.parse(told) as [{ readonly filename: string }];
  return filename.replace(/^@/, "").replace("/", "-");
}

/** Makes the package that holds the program. Answers its file. */
export async function makePlatformPackage(release: Release): Promise<string> {
  const { target } = release;
  const directory = await emptied(join(release.work, "npm-platform"));
  await stage(directory, [
    { path: "package.json", text: json(platformManifest(target)) },
    { path: `bin/${target.program}`, from: release.program, run: true },
    { path: "LICENSE", text: release.license },
    { path: "THIRD_PARTY_NOTICES", text: release.notices },
    {
      path: "README.md",
      text: `The program of [amof](${PROJECT.homepage}) for ${target.name}. Install \`amof\`.\n`,
    },
  ]);
  return await pack(release, directory);
}

/** Makes the package that people install, which is the same for all systems. Answers its file. */
export async function makeWrapper(release: Release): Promise<string> {
  const directory = await emptied(join(release.work, "npm-wrapper"));
  const launcher = new URL("./npm/amof.js", import.meta.url);
  await stage(directory, [
    { path: "package.json", text: json(wrapperManifest()) },
    { path: "bin/amof.js", text: await Deno.readTextFile(launcher), run: true },
    { path: "bin/agentpack.js", text: '#!/usr/bin/env node\nrequire("./amof.js");\n', run: true },
    { path: "LICENSE", text: release.license },
    { path: "THIRD_PARTY_NOTICES", text: release.notices },
    { path: "README.md", from: `${ROOT}README.md` },
  ]);
  return await pack(release, directory);
}
