/**
 * A page as the server sends it.
 *
 * @module
 */

/** What a page may load: only what this server has, and no script or style that stands in a page (PAGE-3). */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

/** A page as an answer. */
export function pageAnswer(text: string, status = 200): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY },
  });
}
