/** Programs that tests write and start. @module */

import { dirname } from "@std/path";

/**
 * Writes a text as a program that may be started at once, in place of what is there; its directory need not
 * exist.
 *
 * Another process writes it. A child that another thread of this one starts inherits what is open for writing
 * here, until it has become its own program. What somebody holds open so cannot be started ("Text file busy").
 */
export async function writeProgram(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const child = new Deno.Command("sh", {
    args: ["-c", 'cat >"$1" && chmod 755 "$1"', "sh", path],
    stdin: "piped",
    stdout: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  if (!(await child.status).success) throw new Error(`${path} could not be written`);
}
