/**
 * The archive of a release: the program with its licences, manual pages and completions.
 *
 * @module
 */

import { join } from "@std/path";
import { COMPLETIONS, type Release } from "./contents.ts";
import { PROJECT } from "./project.ts";
import { emptied, run, setTimes, stage } from "./tools.ts";

/** The name of the archive of a target. */
export function archiveName(target: Release["target"]): string {
  return `amof-${PROJECT.version}-${target.name}.${target.os === "win32" ? "zip" : "tar.gz"}`;
}

/** Makes the archive; the same files give the same bytes. Answers its name. */
export async function makeArchive(release: Release): Promise<string> {
  const { target, manual } = release;
  const name = archiveName(target);
  const directory = await emptied(join(release.work, "archive"));
  const folder = `amof-${PROJECT.version}-${target.name}`;
  await stage(join(directory, folder), [
    { path: target.program, from: release.program, run: true },
    { path: "LICENSE", text: release.license },
    { path: "THIRD_PARTY_NOTICES", text: release.notices },
    ...manual.map((page) => ({ path: `man/${page.name}.1`, text: page.source })),
    ...Object.values(COMPLETIONS).map(({ file, text }) => ({ path: `completions/${file}`, text })),
  ]);
  await setTimes(directory, release.epoch);
  const output = join(release.output, name);
  if (target.os === "win32") {
    await run("zip", ["-qrX", "-9", output, folder], { cwd: directory, env: { TZ: "UTC" } });
  } else {
    const tar = join(release.work, "archive.tar");
    const fixed = [
      "--sort=name",
      `--mtime=@${release.epoch}`,
      "--owner=0",
      "--group=0",
      "--numeric-owner",
    ];
    await run("tar", [...fixed, "-C", directory, "-cf", tar, folder]);
    await run("gzip", ["-nf9", tar]);
    await Deno.rename(`${tar}.gz`, output);
  }
  return name;
}
