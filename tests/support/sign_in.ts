/**
 * Signing in to the pages of a server, as a person does.
 *
 * @module
 */

import { Typist } from "./terminal.ts";
import type { World } from "./world.ts";

/** A link that signs in to the server of a world, once. */
export async function linkFor(world: World): Promise<string> {
  const typist = await Typist.start(world, ["server", "open", "--print"]);
  const { code, stdout, screen } = await typist.ends();
  const [link] = /http:\S+/.exec(stdout) ?? [];
  if (code !== 0 || link === undefined) throw new Error(`No link but "${screen}${stdout}"`);
  return link;
}
