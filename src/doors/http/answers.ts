/** Answers that every route gives alike. */

import { type AmofError, errorObject } from "../../base/error.ts";

/** What every answer says to a browser: keep nothing, guess nothing, show it nowhere, tell nobody. */
const HEADERS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  // With no-referrer browsers would send the forms of our own pages with `Origin: null`.
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
};

/** Adds to an answer what every answer says. */
export function guarded(response: Response): Response {
  for (const [name, value] of Object.entries(HEADERS)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}

/** An answer in JSON. */
export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(`${JSON.stringify(value)}\n`, {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}

/** The answer that tells of an error (ERROR-1). */
export function errorResponse(error: AmofError): Response {
  const object = errorObject(error);
  // A failure without a status of its own is about what was sent.
  const status = object.http === 0 ? 400 : object.http;
  return json(object, status, status === 401 ? { "www-authenticate": "Bearer" } : {});
}
