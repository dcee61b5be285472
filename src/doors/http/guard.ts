/** Who may ask the server anything: programs of this machine that hold its token (SERVER-6). */

import { AmofError } from "../../base/error.ts";
import { isSame } from "../../base/policy/same.ts";

/** The names by which a server on loopback may be addressed. */
const NAMES = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Throws `origin_refused` for a request that a web page of elsewhere made: one whose Host is no name of this machine,
 * however that name was made to lead here, or whose Origin is not this server.
 */
export function requireOwnAddress(headers: Headers, port: number): void {
  const hosts = NAMES.map((name) => `${name}:${port}`);
  const host = headers.get("host")?.toLowerCase() ?? "";
  if (!hosts.includes(host)) {
    throw new AmofError("origin_refused", "Cannot answer: the Host header names another server", {
      details: { header: "host" },
    });
  }
  const origin = headers.get("origin");
  if (origin !== null && !hosts.some((own) => origin === `http://${own}`)) {
    throw new AmofError("origin_refused", "Cannot answer: the request comes from another site", {
      details: { header: "origin" },
    });
  }
}

/** Throws `token_required` without the token of this server. */
export function requireToken(headers: Headers, token: string): void {
  const [, given = ""] = /^Bearer +([\x21-\x7e]+)$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (isSame(given, token)) return;
  throw new AmofError(
    "token_required",
    given === ""
      ? "Cannot answer without the server's token"
      : "Cannot answer: this is not the server's token",
  );
}
