/**
 * Completes a release whose packages of all targets lie in one directory: `deno task publish DIR --key FILE --public-key
 * FILE` writes what names them (the MCP registry's entry, Homebrew, Scoop, winget), install.sh, and the signed sums.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { join, resolve } from "@std/path";
import { archiveName } from "./archive.ts";
import { brewFormula, scoopManifest, wingetManifest } from "./formulas.ts";
import { installScript } from "./install.ts";
import { registryEntry } from "./manifests.ts";
import { bundleName } from "./mcpb.ts";
import { PROJECT, SLUG } from "./project.ts";
import { billOfMaterials } from "./sbom.ts";
import { writeSums } from "./sums.ts";
import { TARGETS } from "./targets.ts";
import { json, sha256File } from "./tools.ts";

const text = { type: "string" } as const;
const { values: { key, "public-key": publicKey }, positionals: [given] } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: { key: text, "public-key": text },
});
if (given === undefined || key === undefined || publicKey === undefined) {
  throw new TypeError("A release is completed with publish.ts DIR --key FILE --public-key FILE");
}
const here = Deno.env.get("GITHUB_REPOSITORY");
if (here !== undefined && here !== SLUG) {
  throw new Error(
    `The packages say that they are of ${SLUG}, and this is ${here}: change project.ts`,
  );
}
const directory = resolve(given);
const sumOf = (file: string) => sha256File(join(directory, file));
const sums = new Map<string, string>();
const bundles: { file: string; sha256: string }[] = [];
for (const target of TARGETS) {
  sums.set(target.name, await sumOf(archiveName(target)));
  const file = bundleName(target);
  bundles.push({ file, sha256: await sumOf(file) });
}
for (
  const [name, content] of [
    ["server.json", json(registryEntry(bundles))],
    ["sbom.cdx.json", json(await billOfMaterials(Number(Deno.env.get("SOURCE_DATE_EPOCH") ?? 0)))],
    ["amof.rb", brewFormula(sums)],
    ["amof.scoop.json", scoopManifest(sums)],
    ["amof.winget.yaml", wingetManifest(sums)],
    ["VERSION", `${PROJECT.version}\n`],
    ["install.sh", await installScript(await Deno.readTextFile(publicKey))],
  ] as const
) await Deno.writeTextFile(join(directory, name), content);
await writeSums(directory, resolve(key));
