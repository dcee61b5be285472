/** Which kind of forge a host is. */

import { addressAt } from "./address.ts";
import type { ForgeKind } from "./port.ts";

/** Hosts whose kind everybody knows. */
const KNOWN: Readonly<Record<string, ForgeKind>> = {
  "github.com": "github",
  "gitlab.com": "gitlab",
  "codeberg.org": "gitea",
  "gitea.com": "gitea",
};

/**
 * The kind of the forge at an address, by what the manifest says of hosts and else by its name; null where nobody says
 * it, or there is no host.
 */
export function kindAt(
  url: string,
  forges: Readonly<Record<string, ForgeKind>>,
): ForgeKind | null {
  const host = addressAt(url)?.host;
  if (host === undefined) return null;
  const bare = host.replace(/:\d+$/, "");
  for (const name of [host, bare]) {
    if (Object.hasOwn(forges, name)) return forges[name] ?? null;
  }
  return Object.hasOwn(KNOWN, bare) ? KNOWN[bare] ?? null : null;
}
