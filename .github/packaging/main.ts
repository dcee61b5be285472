/**
 * Makes the packages of a release out of compiled programs: `deno task package [--program FILE] [--target NAME]
 * [--output DIR] [--key FILE --public-key FILE]`.
 *
 * The key is minisign's. Without one nothing is signed, and there is no script that installs: it would verify nothing.
 *
 * `SOURCE_DATE_EPOCH` is the moment of the release, in seconds, else that of the last commit.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { join, resolve } from "@std/path";
import { makeArchive } from "./archive.ts";
import { releaseOf } from "./contents.ts";
import { makeDebian } from "./debian.ts";
import { installScript } from "./install.ts";
import { makeBundle } from "./mcpb.ts";
import { makePlatformPackage, makeWrapper } from "./npm.ts";
import { PROJECT } from "./project.ts";
import { ROOT } from "./root.ts";
import { writeSums } from "./sums.ts";
import { targetHere, targetOf } from "./targets.ts";
import { emptied, run } from "./tools.ts";

async function moment(): Promise<number> {
  const given = Number(Deno.env.get("SOURCE_DATE_EPOCH"));
  if (given > 0) return given;
  return Number(await run("git", ["log", "-1", "--format=%ct"], { cwd: ROOT }));
}

function tell(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const text = { type: "string" } as const;
const { values: flags } = parseArgs({
  args: Deno.args,
  options: { program: text, target: text, output: text, key: text, "public-key": text },
});
const publicKey = flags["public-key"];
if ((flags.key === undefined) !== (publicKey === undefined)) {
  throw new TypeError("--key and --public-key belong together");
}
const target = flags.target === undefined ? targetHere() : targetOf(flags.target);
const output = resolve(flags.output ?? join(ROOT, "bin", "dist"));
const release = await releaseOf({
  target,
  program: resolve(flags.program ?? join(ROOT, "bin", target.program)),
  output: await emptied(output),
  work: await emptied(join(ROOT, "bin", "package", target.name)),
  epoch: await moment(),
});

const made = [
  await makeArchive(release),
  await makePlatformPackage(release),
  await makeBundle(release),
  await makeDebian(release),
  await makeWrapper(release),
];
await Deno.writeTextFile(join(output, "VERSION"), `${PROJECT.version}\n`);
if (publicKey === undefined) tell("Not signed, and without install.sh: no --key was given");
else {
  const script = await installScript(await Deno.readTextFile(publicKey));
  await Deno.writeTextFile(join(output, "install.sh"), script, { mode: 0o755 });
}
await writeSums(output, flags.key === undefined ? null : resolve(flags.key));
for (const name of made) if (name !== null) tell(name);
