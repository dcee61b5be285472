/**
 * Releasing and reading what was released, for the tests of `amof release`.
 *
 * @module
 */

import { join } from "@std/path";
import { World } from "../support/world.ts";

/** The release that most tests make. */
export const BUMP = ["release", "patch", "--alpha", "--yes", "--json"];

/** A file of the control repository. */
export function read(world: World, file: string): Promise<string> {
  return Deno.readTextFile(join(world.control, file));
}

/** The record of a release. */
export async function record(world: World, tag: string): Promise<Record<string, unknown>> {
  return JSON.parse(await read(world, `releases/${tag}.json`)) as Record<string, unknown>;
}

/** The refs of the remote. */
export function refs(world: World): Promise<string> {
  return world.git(join(world.remotes, "control.git"), "for-each-ref", "--format=%(refname)");
}
