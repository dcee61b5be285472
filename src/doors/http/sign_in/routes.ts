/** Signing in with a link of `amof server open`, and signing out (SIGN-1). */

import { AmofError } from "../../../base/error.ts";
import type { App } from "../../../pipeline/app.ts";
import { cookieName, requirePerson, SIGN_IN_PATH } from "../asking.ts";
import type { Routes } from "../core.ts";
import { noticePage, readsPages } from "./notice.ts";
import type { People } from "./people.ts";

/** Why a link signs nobody in. */
const REFUSED = {
  used:
    "This link was used already. Where you have not used it yourself, somebody else has: restart the server, which ends every session.",
  expired: "This link is older than two minutes.",
  unknown: "This is no link of this server; each start of the server has links of its own.",
};

/** The routes; `instance` is what the server says of itself, and which links are meant for it. */
export function signInRoutes(app: App, people: People, instance: string): Routes {
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
