/** Whether a program needs all permissions for the places that it is told of. */

import { basename, dirname, join, resolve } from "@std/path";

/** Variables that name places of ours, or of the user's. */
const PLACES = /^(?:HOME|TMPDIR|AMOF_|XDG_)/;
/** What is no place for files, and what everybody may reach. */
const PLAIN = /^\/dev\/(?:null|zero|full|u?random|tty|std(?:in|out|err)|fd|pts)(?:\/|$)/;

/** Where a path leads; what is not there yet lies where its directory leads. */
function realPath(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/**
 * Whether the working directory, an argument or a variable names a place below `/dev`, such as `/dev/shm`: the runtime
 * keeps that from a program that has given up any permission.
 */
export function liesInDevices(
  args: readonly string[],
  env: Readonly<Record<string, string>> = Deno.env.toObject(),
): boolean {
  if (Deno.build.os !== "linux") return false;
  const variables = Object.entries(env)
    .filter(([name]) => PLACES.test(name)).map(([, value]) => value);
  const words = args.map((word) => word.replace(/^--?[\w-]+=/, "").replace(/^file:\/\//, ""));
  return [Deno.cwd(), ...variables, ...words].some((text) => {
    const place = realPath(resolve(text));
    return place.startsWith("/dev/") && !PLAIN.test(place);
  });
}
