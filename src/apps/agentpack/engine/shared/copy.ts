/**
 * Entries of shared files among the copies of a snapshot: each has one under a name that no file can have.
 *
 * @module
 */

import { encodeText } from "../../bytes.ts";
import type { TargetName } from "../../names.ts";
import type { Copy } from "../copies.ts";

/** The name under which the copy of an entry is kept. */
export function entryCopyPath(path: string, name: string): string {
  return `${path}\0${name}`;
}

/** The copy of an entry. */
export function entryCopy({ target, path, name, value }: {
  readonly target: TargetName;
  readonly path: string;
  readonly name: string;
  readonly value: unknown;
}): Copy {
  return {
    target,
    path: entryCopyPath(path, name),
    bytes: encodeText(`${JSON.stringify(value, null, 2)}\n`),
  };
}
