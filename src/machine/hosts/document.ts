/** What a host's file holds that has nothing but amof's servers in it (HOST-6). */

import { editEntriesOf } from "../../state/entries/document.ts";
import type { Fields } from "../../base/object.ts";
import { type Host, serverFileOf } from "./host.ts";

/** The text of a file with these servers alone; with `json` also for a host whose files are TOML. */
export async function documentOf(
  host: Host,
  servers: ReadonlyMap<string, Fields>,
  { json = false }: { readonly json?: boolean } = {},
): Promise<string> {
  const shared = serverFileOf(host);
  const result = await editEntriesOf(
    json ? { ...shared, syntax: "json" } : shared,
    null,
    servers,
    () => "file",
  );
  if ("problem" in result || result.text === null) throw new TypeError("No text of these servers");
  return result.text;
}
