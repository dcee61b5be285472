/** A link with which a person signs in to the pages of a server (SIGN-1). */

import { AmofError } from "../../base/error.ts";
import type { Layout, Store } from "../../state/store/mod.ts";
import type { System } from "../../base/system/mod.ts";
import { pagesBase, readServerRecord, serverState, signInFile } from "./record.ts";

/** A link lives so long. */
const LINK_LIFETIME_MS = 2 * 60 * 1000;

/** A server whose pages can be opened. */
interface Openable {
  /** The beginning of its addresses. */
  readonly base: string;
  readonly instance: string;
}

/**
 * The address of the pages of a server that runs and is proven to be the one of its record; null where there is none.
 * Asks nobody: it is only named, and a call must not wait for it.
 */
export async function pagesOf(system: System, root: string): Promise<string | null> {
  const record = await readServerRecord(system, root);
  if (typeof record === "string") return null;
  const { pid, bootId, processStart, port, localhost } = record;
  if (port === null || !localhost || bootId === null || processStart === null) return null;
  const runs = await system.processes.isAlive({ pid, bootId, startedAt: processStart });
  return runs ? pagesBase(port) : null;
}

/** The server of a control repository; throws where none runs whose pages can be opened safely. */
export async function requireOpenable(system: System, root: string): Promise<Openable> {
  const standing = await serverState(system, root);
  if (standing.state !== "running") {
    throw new AmofError("server_failed", "Cannot open the server's pages: no server runs", {
      hint: "Start it first: amof server start",
    });
  }
  const { pid, port, instance, localhost } = standing.record;
  if (!standing.healthy || !standing.proven || port === null || instance === null) {
    throw new AmofError(
      "server_failed",
      `Cannot open the server's pages: process ${pid} does not answer, or is another program`,
      { hint: "Start it anew: amof server restart" },
    );
  }
  if (!localhost) {
    // A browser may take either address for the name, and the link would be theirs.
    throw new AmofError(
      "port_taken",
      `Cannot open the server's pages: localhost port ${port} leads to another program, too`,
      { hint: "Take another port: amof server restart --port 0", details: { port } },
    );
  }
  return { base: pagesBase(port), instance };
}

/** Makes a link. */
export function makeLink(
  system: System,
  store: Pick<Store, "signIn">,
  { base, instance }: Openable,
): string {
  const code = system.ids.hex(64);
  const now = system.clock.now();
  store.signIn.add(code, {
    instance,
    user: system.env.user,
    now,
    expiresAt: now + LINK_LIFETIME_MS,
  });
  return `${base}/sign-in?code=${code}`;
}

/** Writes a page that only the user can read and that leads to a link at once; answers where it lies. */
export async function writeLeading(
  system: System,
  layout: Layout,
  root: string,
  link: string,
): Promise<string> {
  const file = signInFile(layout, root);
  const page =
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${link}"><title>amof</title>\n`;
  await system.files.write(file, page, { mode: 0o600 });
  return file;
}
