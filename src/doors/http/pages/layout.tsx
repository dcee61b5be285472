/** What every page has in common: head, navigation, the place for its content (PAGE-1). */

import type { Child } from "hono/jsx";
import { VERSION } from "../../../base/version.ts";
import { type Failed, Failure, type Html } from "./parts.tsx";
import type { ApprovalsData } from "../../../commands/approvals/approvals.ts";
import type { Asking } from "../core.ts";
import type { Reader } from "./reader.ts";

/** The views that the navigation leads to: path, name, and the key that goes there behind `g`. */
const VIEWS = [
  ["/ecosystems", "Ecosystems", "e"],
  ["/runs", "Runs", "r"],
  ["/approvals", "Approvals", "a"],
  ["/releases", "Releases", "l"],
  ["/audit", "Audit", "u"],
  ["/telemetry", "Telemetry", "t"],
  ["/passkeys", "Passkeys", "k"],
] as const;

/** What a page is made of. */
interface PageParts {
  /** Stands in the tab and above the content. */
  readonly title: string;
  /** The view it belongs to, or null for a page of none, such as an error. */
  readonly active: typeof VIEWS[number][0] | null;
  readonly body: Child;
  /** The name of the control repository; absent where nobody is signed in. */
  readonly where?: string | undefined;
  /** How many requests wait for a person; null where that is not known. */
  readonly pending?: number | null;
  /** What the script sends with a change. */
  readonly csrf?: string | null;
  /** Which changes the page shows without being loaded anew; none by default. */
  readonly live?: Live | undefined;
}

/** How a page is kept up to date. */
interface Live {
  /** The parts of `/api/v1/changes` it is about; empty for all. */
  readonly parts: readonly string[];
  /** Whether it has more to show than it was sent with: what takes a look at the repositories. */
  readonly more?: boolean;
  /** Seconds after which it is looked at again, because nothing tells of what changes in a working copy. */
  readonly again?: number;
}

function Navigation(
  { active, pending }: Pick<PageParts, "active" | "pending">,
): Html {
  return (
    <nav aria-label="Views">
      <ul>
        {VIEWS.map(([path, name, key]) => (
          <li>
            <a href={path} aria-current={path === active ? "page" : undefined} data-key={key}>
              {name}
              {String(path) === "/approvals" && (pending ?? 0) > 0
                ? (
                  <>
                    {" "}
                    <span class="count">{pending}</span>
                    <span class="unseen">waiting</span>
                  </>
                )
                : null}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Keys(): Html {
  return (
    <details class="keys" id="keys">
      <summary>
        Keys <kbd>?</kbd>
      </summary>
      <dl>
        {VIEWS.map(([, name, key]) => (
          <div>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{name}</dd>
          </div>
        ))}
        <div>
          <dt>
            <kbd>/</kbd>
          </dt>
          <dd>Filter</dd>
        </div>
        <div>
          <dt>
            <kbd>j</kbd> <kbd>k</kbd>
          </dt>
          <dd>Next, previous row</dd>
        </div>
        <div>
          <dt>
            <kbd>f</kbd>
          </dt>
          <dd>Follow a log</dd>
        </div>
      </dl>
    </details>
  );
}

/** A whole page as text. */
function page(parts: PageParts): string {
  const { title, active, body, where, pending = null, csrf = null, live } = parts;
  const html: Html = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {csrf === null ? null : <meta name="csrf" content={csrf} />}
        <title>{`${title} · ${where ?? "amof"}`}</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/assets/style.css" />
        <script type="module" src="/assets/client.js"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand" href="/ecosystems">amof</a>
          {where === undefined ? null : <span class="where">{where}</span>}
          {where === undefined ? null : <Navigation active={active} pending={pending} />}
        </header>
        <main
          id="main"
          tabindex={-1}
          data-parts={live?.parts.join(" ")}
          data-more={live?.more === true ? "" : undefined}
          data-again={live?.again}
        >
          {live?.more === true
            ? (
              <noscript>
                <p class="notice">
                  <a href="?live">Look at the repositories now</a>
                </p>
              </noscript>
            )
            : null}
          {body}
        </main>
        <footer class="bottom">
          {where === undefined ? null : <Keys />}
          <span class="version">amof {VERSION}</span>
          <span id="connection" role="status"></span>
          {csrf === null ? null : (
            <form method="post" action="/sign-out">
              <input type="hidden" name="csrf" value={csrf} />
              <button type="submit" class="plain">Sign out</button>
            </form>
          )}
        </footer>
      </body>
    </html>
  );
  return `<!doctype html>\n${html}`;
}

/** A view: the parts of a page that are its own. */
export interface Shown extends Pick<PageParts, "title" | "active" | "body" | "live"> {
  /** The status of the answer; 200 when absent. */
  readonly status?: number | undefined;
}

/** What is shown in place of a page of which there is nothing but why. */
export function failedPage(
  active: Shown["active"],
  title: string,
  error: Failed,
  heading = title,
): Shown {
  return {
    title,
    active,
    status: error.status,
    body: (
      <>
        <h1>{heading}</h1>
        <Failure error={error} />
      </>
    ),
  };
}

// Puts the layout around a view: what all pages tell besides their own content.

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
function pageAnswer(text: string, status = 200): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY },
  });
}

/** Answers a request with a view; what the view throws becomes a page as well. */
export type Show = (asking: Asking, view: () => Promise<Shown>) => Promise<Response>;

/** How views are shown; `where` is what the control repository is called. */
export function framing(reader: Reader, where: string): Show {
  return async (asking, view) => {
    const [waiting, shown] = await Promise.all([
      reader.ask<ApprovalsData>("amof_approvals", { limit: 200 }),
      view().catch((thrown) =>
        failedPage(null, "Error", reader.failureOf(thrown), "This page cannot be shown")
      ),
    ]);
    const pending = waiting.data?.approvals.filter(({ status }) => status === "pending").length;
    const csrf = asking.kind === "person" ? asking.session.csrf : null;
    return pageAnswer(page({ ...shown, where, pending: pending ?? null, csrf }), shown.status);
  };
}
