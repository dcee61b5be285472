/** `overlay path`: where the overlay of a module is or would be (PACK-55). */

import { argument, choice, declare, type Look, members } from "../../declare/command.ts";
import { shownPath } from "../../declare/show.ts";
import { type Twins, withPosix } from "../../io.ts";
import { OVERLAY_SCOPES, type OverlayScope } from "../../names.ts";
import { findOverlay, type OverlayPlace, surroundings } from "../../overlay/place.ts";
import type { Answer } from "../../pack.ts";

/** `data` of `overlay path`. */
export interface OverlayPathData extends Twins<"overlay_dir"> {
  readonly module_id: string;
  readonly scope: OverlayScope;
}

/** Where an overlay is, as the answers about it say. */
export function pathData(id: string, place: OverlayPlace): OverlayPathData {
  return {
    module_id: id,
    scope: place.scope,
    ...withPosix("overlay_dir", place.directory),
  };
}

/** Where the overlay of a module is or would be; the module need not exist. */
async function locate(
  { pack, selection }: Look,
  options: { readonly module_id: string; readonly scope: OverlayScope },
): Promise<Answer<OverlayPathData>> {
  const around = await surroundings(pack, selection);
  const place = await findOverlay(pack.system, around, options.scope, options.module_id);
  return {
    data: pathData(options.module_id, place),
    warnings: place.warning === null ? [] : [place.warning],
  };
}

/** The module whose overlay is meant. */
export const MODULE = argument({ help: "The module", value: "ID" });

/** The scope of the overlay. */
export const SCOPE = choice(OVERLAY_SCOPES, "global", { help: "Whose overlay" });

/** `overlay path`. */
export const overlayPath = declare({
  path: ["overlay", "path"],
  summary: "Print where the overlay of a module is or would be.",
  options: { module_id: MODULE, scope: SCOPE },
  examples: ["overlay path skill:tidy --scope machine"],
  look: locate,
  answers: members<OverlayPathData>("module_id", "scope", "overlay_dir", "overlay_dir_posix"),
  render: ({ data }) => shownPath(data.overlay_dir),
});
