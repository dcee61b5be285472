/**
 * The script that installs the program on Linux and macOS.
 *
 * @module
 */

import { PROJECT } from "./project.ts";

/** The script, with the key that it verifies downloads with: the text of a minisign.pub. */
export async function installScript(publicKey: string): Promise<string> {
  const key = publicKey.trim().split("\n").at(-1) ?? "";
  if (!/^[A-Za-z0-9+/]{56}$/.test(key)) throw new TypeError("That is no public key of minisign");
  const script = await Deno.readTextFile(new URL("./install.sh", import.meta.url));
  return script.replace("@REPOSITORY@", `'${PROJECT.homepage}'`).replace(
    "@PUBLIC_KEY@",
    `'${key}'`,
  );
}
