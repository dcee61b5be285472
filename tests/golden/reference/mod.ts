/**
 * The pages of reference, all of them out of the declarations of the program.
 *
 * @module
 */

import { commandPages } from "./commands.ts";
import { environmentPage } from "./environment.ts";
import { errorsPage } from "./errors.ts";
import { manifestPage } from "./manifest.ts";
import { settingsPage } from "./settings.ts";
import { toolPages } from "./tools.ts";

/** Every page by its name below `.github/docs/reference`. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ...await commandPages(),
    ...await toolPages(),
    ["manifest.md", await manifestPage()],
    ["environment.md", environmentPage()],
    ["errors.md", errorsPage()],
    ["settings.md", settingsPage()],
  ]);
}
