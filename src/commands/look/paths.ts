/** Paths inside repositories, as callers give them. */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";

/** The paths as they are; throws `invalid_arguments` for one that leads out of a repository. */
export function insidePaths(paths: readonly string[] = []): readonly string[] {
  const outside = paths.find((path) =>
    /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path) || path.split(/[\\/]/).includes("..")
  );
  if (outside === undefined) return paths;
  throw new AmofError(
    "invalid_arguments",
    `Cannot look at "${cleanLine(outside, 60)}": it is not inside a repository`,
    {
      hint: "Write paths as they are in each repository, such as src or '*.ts'",
      details: { issues: [{ path: "paths", problem: "leads out of the repositories" }] },
    },
  );
}
