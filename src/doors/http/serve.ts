/** The process of a server: listens, writes down where, and ends when it is told to (SERVER-2, SERVER-3). */

import type { App } from "../../pipeline/app.ts";
import { AmofError, EXIT, toAmofError } from "../../base/error.ts";
import {
  readServerRecord,
  removeRecord,
  tokenFile,
  writeFailure,
  writeRecord,
} from "../../commands/server/record.ts";
import type { Listener, Loopback, System } from "../../base/system/mod.ts";
import { VERSION } from "../../base/version.ts";
import { serviceOf } from "../../pipeline/wings.ts";
import { answering, cookieName, People, requirePerson, type Routes, SIGN_IN_PATH } from "./core.ts";
import { noticePage, readsPages } from "./sign_in/notice.ts";

// Signing in with a link of `amof server open`, and signing out (SIGN-1).

/** Why a link signs nobody in. */
const REFUSED = {
  used:
    "This link was used already. Where you have not used it yourself, somebody else has: restart the server, which ends every session.",
  expired: "This link is older than two minutes.",
  unknown: "This is no link of this server; each start of the server has links of its own.",
};

/** The routes; `instance` is what the server says of itself, and which links are meant for it. */
function signInRoutes(app: App, people: People, instance: string): Routes {
  const { clock } = app.system;
  return (http) => {
    http.get(SIGN_IN_PATH, async ({ req, env }) => {
      const { signIn } = await app.store();
      const now = clock.now();
      const { use, user } = signIn.use(req.query("code") ?? "", instance, now);
      if (use !== "accepted") {
        if (!readsPages(req.raw)) throw new AmofError("sign_in_refused", REFUSED[use]);
        return await noticePage({
          title: "Not signed in",
          text: `${REFUSED[use]} Get a new one in a terminal:`,
          command: "amof server open",
        }, 403);
      }
      const { cookie } = people.begin(user, now);
      // A page and no redirect: browsers send no strict cookie to where a link of another program leads in the end.
      return await noticePage({ title: "Signed in", text: "Going on …", onward: "/" }, 200, {
        "set-cookie": `${cookieName(env.port)}=${cookie}; Path=/; HttpOnly; SameSite=Strict`,
      });
    });
    http.post("/sign-out", async ({ env }) => {
      people.end(requirePerson(env.asking).session);
      return await noticePage(
        {
          title: "Signed out",
          text: "To come back, run this in a terminal:",
          command: "amof server open",
        },
        200,
        {
          "set-cookie": `${cookieName(env.port)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`,
        },
      );
    });
  };
}

/** So often another free port is tried where nothing but a free one is asked for. */
const TRIES = 10;

interface Listening extends Listener {
  /** Whether localhost leads here and nowhere else, whichever address a browser takes for it. */
  readonly localhost: boolean;
}

function both(first: Listener, second: Listener): Listening {
  return {
    port: first.port,
    localhost: true,
    async close(graceMs) {
      await Promise.all([first.close(graceMs), second.close(graceMs)]);
    },
  };
}

/** Listens at an address; null when it is taken. Where only the other address of the port is taken, it says so. */
async function listenAt(
  loopback: Loopback,
  { host, port }: { readonly host: string; readonly port: number },
  answer: (request: Request, port: number) => Promise<Response>,
): Promise<Listening | null> {
  const other = host === "::1" ? "127.0.0.1" : "::1";
  for (let left = TRIES;; left--) {
    let at = port;
    const first = await loopback.listen(host, port, (request) => answer(request, at));
    if (first === null) return null;
    at = first.port;
    // A machine without the other address has nobody there either.
    if (loopback.stateOf(other, at) === "refused") return { ...first, localhost: true };
    const second = await loopback.listen(other, at, (request) => answer(request, at));
    if (second !== null) return both(first, second);
    if (port !== 0 || left <= 1) return { ...first, localhost: false };
    await first.close(0);
  }
}

/** How long answers that are being given may take when the server ends. */
const LAST_ANSWERS_MS = 2_000;

/** How often a server looks whether it can still be found. */
const LOOK_MS = 10_000;

/** Where a server is to listen, for which control repository, and what it offers. */
interface Place {
  readonly root: string;
  readonly host: string;
  readonly port: number;
  readonly routes: readonly Routes[];
  /** Ends what the routes still do. */
  readonly close: () => Promise<void>;
}

/** Resolves when the record of a server is gone or another's: nobody could find or stop it any more. */
async function lost(system: System, root: string, pid: number, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await system.clock.sleep(LOOK_MS, ended);
    const record = await readServerRecord(system, root);
    if (typeof record === "string" || record.pid !== pid) return;
  }
}

async function serve(app: App, place: Place): Promise<void> {
  const { system, layout } = app;
  const { root, host } = place;
  const token = system.ids.hex(64);
  const instance = system.ids.hex(32);
  const people = new People(system.ids);
  const routes = [signInRoutes(app, people, instance), ...place.routes];
  const answer = answering({ system, token, instance, people, routes });
  const listener = await listenAt(system.loopback, place, answer);
  if (listener === null) {
    throw new AmofError("port_taken", `Cannot listen on ${host} port ${place.port}: it is taken`);
  }
  // Only a server that forwards calls needs to connect to others; listening does not.
  if (serviceOf(system.env) === null) system.http.forgo();
  const me = await system.processes.me();
  const over = new AbortController();
  const interrupted = new Promise<void>((resolve) => system.terminal.onInterrupt(() => resolve()));
  try {
    const file = tokenFile(layout, root);
    await system.files.write(file, `${token}\n`, { mode: 0o600 });
    await writeRecord(system, root, {
      process: me,
      host,
      port: listener.port,
      localhost: listener.localhost,
      version: VERSION,
      instance,
      tokenFile: file,
    });
    await Promise.race([interrupted, lost(system, root, me.pid, over.signal)]);
  } finally {
    over.abort();
    await place.close();
    await listener.close(LAST_ANSWERS_MS);
    await removeRecord(system, layout, root, me.pid);
  }
}

/** Serves until it is told to end; answers the exit code. */
export async function runServer(app: App, place: Place): Promise<number> {
  const { system } = app;
  try {
    await serve(app, place);
    return EXIT.ok;
  } catch (thrown) {
    const error = toAmofError(thrown, () => system.ids.hex(8));
    system.terminal.err(`${error.message}\n`);
    await writeFailure(system, place.root, (await system.processes.me()).pid, error.message);
    return error.exit;
  }
}
