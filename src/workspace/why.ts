/**
 * The reason of a failure without what was tried.
 *
 * @module
 */

import type { AmofError } from "../error.ts";

/** Why something failed, for a line that names the repository already. */
export function whyOf(error: AmofError): string {
  const { reason } = error.details;
  return typeof reason === "string" ? reason : error.message;
}
