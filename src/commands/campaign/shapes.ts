/** Finds shapes by what they are called. */

import { AmofError } from "../../base/error.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { shellWord } from "../../base/text/words.ts";
import type { ShapeView } from "./view.ts";

/**
 * The shapes of some ids, or unique beginnings of their hashes. Throws `invalid_arguments` where there is none: what a
 * commit changed may be another shape since.
 */
export function chosenShapes(
  campaign: string,
  shapes: readonly ShapeView[],
  ids: readonly string[],
): readonly ShapeView[] {
  return [...new Set(ids)].map((id) => {
    const found = shapes.filter(({ hash }) => hash.startsWith(id.toLowerCase()));
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    throw new AmofError(
      "invalid_arguments",
      found.length === 0
        ? `Cannot find shape "${cleanLine(id, 64)}" in campaign "${
          cleanLine(campaign, 64)
        }": no commit has it`
        : `Cannot tell which shape "${cleanLine(id, 64)}" is: ${found.length} begin so`,
      {
        hint: `See them: amof campaign show ${shellWord(campaign)}`,
        details: { shape: cleanLine(id, 64), available: shapes.map((shape) => shape.id) },
      },
    );
  });
}
