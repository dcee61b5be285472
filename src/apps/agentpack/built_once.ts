/**
 * Schemas that are built when a document is first checked with them, and no second time: building one costs more than
 * checking with it.
 */

import type { ZodNamespace } from "../../contract/mod.ts";

/** A schema by how it is built. */
export function builtOnce<T>(build: (z: ZodNamespace) => T): () => Promise<T> {
  let built: Promise<T> | undefined;
  return () => built ??= import("../../contract/zod.ts").then(build);
}
