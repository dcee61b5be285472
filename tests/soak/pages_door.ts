/**
 * A person in a browser, who is signed in to the pages of the server and looks around.
 *
 * @module
 */

import type { Choice } from "../chaos/choices.ts";
import { Visitor } from "../support/sign_in.ts";
import type { Answer, Door } from "./doors.ts";
import type { Site } from "./site.ts";

const PAGES: Readonly<Record<string, (ecosystem: string) => string>> = {
  amof_list_ecosystems: () => "/ecosystems",
  amof_describe_ecosystem: (ecosystem) => `/ecosystems/${ecosystem}`,
  amof_get_ecosystem_status: (ecosystem) => `/ecosystems/${ecosystem}`,
  amof_list_runs: () => "/runs",
  amof_get_active_runs: () => "/runs",
  amof_ticket_list: () => "/releases",
  amof_audit: () => "/audit",
  amof_approvals: () => "/approvals",
  amof_get_global_telemetry: () => "/telemetry",
};

/** The pages. */
export class PagesDoor implements Door {
  readonly name = "pages";
  readonly pid = null;
  readonly #site: Site;
  #visitor: Visitor;

  private constructor(site: Site, visitor: Visitor) {
    this.#site = site;
    this.#visitor = visitor;
  }

  /** Signs in. */
  static async open(site: Site): Promise<PagesDoor> {
    return new PagesDoor(site, await PagesDoor.#signedIn(site));
  }

  /** Somebody who is signed in; throws where that did not succeed, as on a full disk. */
  static async #signedIn(site: Site): Promise<Visitor> {
    const visitor = await Visitor.signIn(site.world, site.server);
    const { status } = await visitor.opens("/ecosystems");
    if (status !== 200) throw new Error(`Signing in answers ${status}`);
    return visitor;
  }

  offers({ tool }: Choice): boolean {
    return tool in PAGES;
  }

  async call({ tool }: Choice, ecosystem: string): Promise<Answer> {
    const { status, body } = await this.#visitor.opens(PAGES[tool]?.(ecosystem) ?? "/");
    return { code: status === 200 ? "ok" : `status ${status}`, text: body };
  }

  /** Sends a form as another site would, without what the pages of this session send along. */
  async forged(): Promise<number> {
    const fields = { csrf: "0".repeat(64) };
    return (await this.#visitor.sends("/approvals/00000000/approve", fields)).status;
  }

  async reopen(): Promise<void> {
    this.#visitor = await PagesDoor.#signedIn(this.#site);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}
