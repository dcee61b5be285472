/**
 * The error for a file shared with users that cannot be edited.
 *
 * @module
 */

import type { Trouble } from "../../../state/entries/types.ts";
import { AgentpackError } from "../error.ts";

/** The error for a shared file that cannot be used. */
export function sharedFileError(path: string, { problem, line }: Trouble): AgentpackError {
  const where = line === null ? path : `${path}:${line}`;
  return new AgentpackError(
    "E_SHARED_FILE_INVALID",
    `Cannot edit "${where}": ${problem}; it was left as it is`,
    { path, line, error: problem },
  );
}
