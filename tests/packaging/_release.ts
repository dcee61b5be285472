/**
 * A release of a small program, made as releases are.
 *
 * @module
 */

import { join } from "@std/path";
import type { Release } from "../../.github/packaging/contents.ts";
import { targetHere } from "../../.github/packaging/targets.ts";
import { PROJECT } from "../../.github/packaging/project.ts";
import { SMALL_PROGRAM } from "./_programs.ts";

/** 2026-03-02, in seconds. */
const EPOCH = 1_772_409_600;

/** What packages of a small program are made of, below a directory that is empty. */
export async function smallRelease(directory: string): Promise<Release> {
  const program = join(directory, "program");
  await Deno.writeTextFile(program, SMALL_PROGRAM.replace("VERSION", PROJECT.version), {
    mode: 0o755,
  });
  const [output, work] = [join(directory, "dist"), join(directory, "work")];
  await Deno.mkdir(output);
  await Deno.mkdir(work);
  return {
    target: targetHere(),
    program,
    output,
    work,
    epoch: EPOCH,
    license: "The licence\n",
    notices: "The notices\n",
    manual: [{ name: "amof", source: ".Dd March 2, 2026\n" }],
  };
}
