/** Which StockTrim service is spoken to and as whom: what the environment says, and nothing else ever. */

import { AmofError } from "../../../base/error.ts";
import type { Environment } from "../../../base/system/mod.ts";
import { list } from "../../../base/text/words.ts";

const ID = "STOCKTRIM_API_AUTH_ID";
const SIGNATURE = "STOCKTRIM_API_AUTH_SIGNATURE";
const URL_NAME = "STOCKTRIM_BASE_URL";
const SERVICE = "https://api.stocktrim.com";

/** A service and the credentials for it. The credentials go into requests and nowhere else. */
export interface Account {
  /** Scheme, host, port and path, without a slash at the end. */
  readonly base: string;
  readonly id: string;
  readonly signature: string;
}

/** Whether a host is this machine whatever any name server says. */
function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Why a URL cannot be the service, or null where it can. */
function problemOf(url: URL): string | null {
  if (url.username !== "" || url.password !== "") return "it holds a user name or password";
  if (url.search !== "" || url.hash !== "") return "it has a query or a fragment";
  if (url.protocol === "https:") return null;
  if (url.protocol !== "http:") return "it is no https URL";
  return isLoopback(url.hostname) ? null : "it is not encrypted: http is for this machine only";
}

/** A value that a header can hold, or null. */
function headerValue(value: string | undefined): string | null {
  const text = value?.trim() ?? "";
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) ? text : null;
}

/** The variables without which there is no account, as far as they are not set. */
function missingOf(env: Pick<Environment, "get">): readonly string[] {
  return [ID, SIGNATURE].filter((name) => !env.get(name)?.trim());
}

/**
 * The account that the environment names.
 *
 * @throws `stocktrim_not_configured` where it names none, or one that cannot be used; the values are never repeated.
 */
export function readAccount(env: Pick<Environment, "get">): Account {
  const missing = missingOf(env);
  if (missing.length > 0) {
    throw new AmofError(
      "stocktrim_not_configured",
      `Cannot speak to StockTrim: ${list(missing)} ${missing.length > 1 ? "are" : "is"} not set`,
      { details: { missing } },
    );
  }
  const [id, signature] = [headerValue(env.get(ID)), headerValue(env.get(SIGNATURE))];
  if (id === null || signature === null) {
    throw new AmofError(
      "stocktrim_not_configured",
      `Cannot speak to StockTrim: ${
        id === null ? ID : SIGNATURE
      } holds characters that no header can carry`,
      { details: { invalid: [id === null ? ID : SIGNATURE] } },
    );
  }
  const given = env.get(URL_NAME)?.trim() || SERVICE;
  const url = URL.canParse(given) ? new URL(given) : null;
  const problem = url === null ? "it is no URL" : problemOf(url);
  if (url === null || problem !== null) {
    throw new AmofError(
      "stocktrim_not_configured",
      `Cannot speak to StockTrim: ${URL_NAME} cannot be used, ${problem}`,
      {
        hint: `Set ${URL_NAME} to an https URL, or leave it out`,
        details: { invalid: [URL_NAME] },
      },
    );
  }
  return { base: `${url.origin}${url.pathname}`.replace(/\/+$/, ""), id, signature };
}

/** The one server that this program ever speaks to; null where the environment names no account for it. */
export function onlyServer(env: Pick<Environment, "get">): string | null {
  // Every start asks, and the first error of a process costs as much as loading a tenth of the program.
  if (missingOf(env).length > 0) return null;
  try {
    return new URL(readAccount(env).base).origin;
  } catch {
    return null;
  }
}
