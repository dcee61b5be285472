/** Where a repository is at its forge, by the address that git has of it. */

import type { ForgeKind, Slug } from "./port.ts";

/** The host of an address, and what leads to the repository there. */
interface Address {
  readonly host: string;
  /** Where pages of the host begin. */
  readonly site: string;
  readonly steps: readonly string[];
}

/** Names of hosts that take SSH where a firewall lets only HTTPS through, without what is in front of the forge's own. */
function ownName(host: string): string {
  return host.replace(/^(?:alt)?ssh\.(?=github\.com$|gitlab\.com$)/, "");
}

/** The steps of a path without its ending; null where one of them leads elsewhere. */
function stepsOf(path: string): readonly string[] | null {
  const steps = path.replace(/^\/+|\/+$/g, "").replace(/\.git$/i, "").split("/");
  return steps.every((step) => /^[A-Za-z0-9_.~-]+$/.test(step) && !/^\.+$/.test(step))
    ? steps
    : null;
}

/** Reads an address in any of git's spellings; null where it leads to no host. */
export function addressAt(url: string): Address | null {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    const [, host = "", path = ""] = /^(?:[^/@:]+@)?([A-Za-z0-9.-]{2,}):(?!\/\/)(.+)$/.exec(url) ??
      [];
    const steps = host === "" ? null : stepsOf(path);
    const name = ownName(host.toLowerCase());
    return steps === null ? null : { host: name, site: `https://${name}`, steps };
  }
  const parsed = URL.parse(url.replace(/^[a-z][a-z0-9+.-]*:/i, "https:"));
  const steps = parsed === null ? null : stepsOf(parsed.pathname);
  if (parsed === null || parsed.hostname === "" || steps === null) return null;
  // A port of SSH says nothing of the pages; the standard one of HTTP is not the one of HTTPS.
  if (/^(?:git\+)?ssh$/.test(scheme)) {
    const name = ownName(parsed.hostname);
    return { host: name, site: `https://${name}`, steps };
  }
  if (scheme === "https") return { host: parsed.host, site: `https://${parsed.host}`, steps };
  if (scheme !== "http") return null;
  const plain = URL.parse(url);
  return plain === null ? null : { host: plain.host, site: `http://${plain.host}`, steps };
}

/**
 * The repository of an address at a forge of a kind; null where the address cannot be one.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { slugOf } from "./address.ts";
 *
 * assertEquals(slugOf("git@github.com:shop/api.git", "github"), {
 *   host: "github.com",
 *   site: "https://github.com",
 *   owner: "shop",
 *   name: "api",
 * });
 * ```
 */
export function slugOf(url: string, kind: ForgeKind): Slug | null {
  const address = addressAt(url);
  if (address === null) return null;
  const { host, site, steps } = address;
  const name = steps.at(-1) ?? "";
  const owners = steps.slice(0, -1);
  if (owners.length === 0 || (kind === "github" && owners.length > 1)) return null;
  if (kind !== "gitea") return { host, site, owner: owners.join("/"), name };
  // What stands in front of the owner is where the forge itself begins.
  const above = owners.slice(0, -1).map((step) => `/${step}`).join("");
  return { host, site: `${site}${above}`, owner: owners.at(-1) ?? "", name };
}
