/** The passkeys of the user: which there are, adding and removing them (SIGN-4). */

import { jsonIn } from "../../../base/object.ts";
import type { App } from "../../../pipeline/app.ts";
import type { Passkey } from "../../../state/store/mod.ts";
import { timestamp } from "../../../base/system/mod.ts";
import { json, readBody, requirePerson, type Routes } from "../core.ts";
import type { At, Keys } from "../sign_in/keys.ts";
import type { Show, Shown } from "./layout.tsx";
import { Empty, type Html, Table, Time } from "./parts.tsx";

function Row({ entry }: { readonly entry: Passkey }): Html {
  const { id, name, createdAt, lastUsedAt } = entry;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="quiet">
        <Time iso={timestamp(createdAt)} />
      </td>
      <td class="quiet">
        <Time iso={lastUsedAt === null ? null : timestamp(lastUsedAt)} />
      </td>
      <td>
        <button type="button" data-remove-passkey={id}>
          Remove<span class="unseen">{` ${name}`}</span>
        </button>
      </td>
    </tr>
  );
}

function passkeysPage(keys: readonly Passkey[]): Shown {
  return {
    title: "Passkeys",
    active: "/passkeys",
    body: (
      <>
        <h1>Passkeys</h1>
        <p>
          Once there is one, approving in these pages takes it: a finger, a face or a PIN at this
          machine or a security key, and not only this session. What it signs is kept in the audit
          log. Denying takes none.
        </p>
        {keys.length === 0 ? <Empty title="No passkey yet" /> : (
          <Table
            caption="Passkeys"
            columns={["Name", "Added", "Last used", [<span class="unseen">Remove</span>]]}
          >
            {keys.map((entry) => <Row entry={entry} />)}
          </Table>
        )}
        <form class="answer" id="add-passkey" autocomplete="off">
          <label>
            <span>Name of a new passkey</span>
            <input type="text" name="name" required maxlength={60} />
          </label>
          <button type="submit" class="yes">Add a passkey</button>
        </form>
        <p id="passkey-says" class="quiet" role="status"></p>
        <noscript>
          <p class="notice">Passkeys need JavaScript in this browser.</p>
        </noscript>
      </>
    ),
  };
}

/** The routes of passkeys. */
export function passkeyRoutes(app: App, keys: Keys, show: Show): Routes {
  return (http) => {
    http.get(
      "/passkeys",
      ({ env }) => show(env.asking, async () => passkeysPage(await keys.list())),
    );
    http.post("/passkeys/challenge", async ({ env }) => {
      const at: At = { person: requirePerson(env.asking), port: env.port };
      return json(await keys.change(at));
    });
    for (const verb of ["add", "remove"] as const) {
      http.post(`/passkeys/${verb}`, async ({ env, req }) => {
        const at: At = { person: requirePerson(env.asking), port: env.port };
        await keys[verb](jsonIn(await readBody(req.raw, app.system.clock)), at);
        return json({ ok: true });
      });
    }
  };
}
