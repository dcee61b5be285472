/** The plain page for whoever is not signed in. */

import { html } from "hono/html";

/** It has no script, and its style is that of all pages. */
const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'";

interface Notice {
  readonly title: string;
  readonly text: string;
  /** What to run in a terminal. */
  readonly command?: string;
  /** Where it leads at once. */
  readonly onward?: string;
}

/** A page that only says something. */
export async function noticePage(
  { title, text, command, onward }: Notice,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const page = await html`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        ${onward === undefined ? "" : html`
          <meta http-equiv="refresh" content="0; url=${onward}">
        `}
        <title>${title} · amof</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/assets/style.css">
      </head>
      <body>
        <header class="top"><span class="brand">amof</span></header>
        <main>
          <h1>${title}</h1>
          <p>${text}</p>
          ${command === undefined ? "" : html`
            <p class="command"><code>${command}</code></p>
          `} ${onward === undefined ? "" : html`
            <p><a href="${onward}">Go on</a></p>
          `}
        </main>
      </body>
    </html>
  `;
  return new Response(String(page), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      ...headers,
    },
  });
}

/** Whether whoever asks reads pages: a browser that was led somewhere. */
export function readsPages({ method, headers }: Request): boolean {
  return (method === "GET" || method === "HEAD") &&
    (headers.get("accept") ?? "").includes("text/html");
}
