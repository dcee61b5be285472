/**
 * Deciding about requests in the pages (SIGN-3): the same review and the same decision as `amof approve` and `amof deny`.
 */

import { jsonIn } from "../../../base/object.ts";
import type { App } from "../../../pipeline/app.ts";
import { type ApprovalDecision, judgeTyped } from "../../../pipeline/consent/approver.ts";
import {
  decide,
  type Decider,
  findPending,
  needsPasskey,
  questionOf,
  requirePasskey,
  review,
} from "../../../pipeline/consent/pending.ts";
import { AmofError, toAmofError } from "../../../base/error.ts";
import { MOST_WRONG_TRIES, type PasskeyEvidence } from "../../../base/policy/consent.ts";
import type { PendingApproval } from "../../../state/store/mod.ts";
import { type AskingPerson, type Http, json, requirePerson, type Routes } from "../core.ts";
import type { At, Keys } from "../sign_in/keys.ts";
import type { AssertionOptions } from "../sign_in/webauthn.ts";
import { approvalsPage, overPage, waitingPage } from "./approval.tsx";
import type { Show, Shown } from "./layout.tsx";
import type { Failed } from "./parts.tsx";
import type { Reader } from "./reader.ts";

interface Desk {
  readonly app: App;
  readonly reader: Reader;
  readonly show: Show;
  readonly keys: Keys;
  /** Aborted when the server ends. */
  readonly over: AbortSignal;
}

/** How a person at a page is named in the audit log. */
function byPerson({ session }: AskingPerson, evidence?: PasskeyEvidence): Decider {
  return { door: "http", client: `${session.user}@page`, evidence };
}

class Decisions {
  readonly #desk: Desk;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  get #report() {
    const { terminal } = this.#desk.app.system;
    return {
      log: (level: string, message: string) => {
        if (level === "error") terminal.err(`${message}\n`);
      },
      progress: () => {},
    };
  }

  /** The request with this very id, whether it waits or not. */
  async #pending(id: string): Promise<PendingApproval | null> {
    const { approvals } = await this.#desk.app.store();
    const [found, second] = /^[0-9a-f]{4,}$/.test(id) ? approvals.byPrefix(id) : [];
    return second === undefined ? found ?? null : null;
  }

  /** A request as it stands now; `problem` is why an answer to it did not count. */
  async page(id: string, csrf: string, problem: Failed | null): Promise<Shown> {
    const { app, reader, over, keys } = this.#desk;
    try {
      const pending = await findPending(app, id);
      const shown = await review(app, pending, over, this.#report);
      const keyed = await needsPasskey(app, "http");
      const keyless = keyed && (await keys.list()).length === 0;
      return waitingPage(shown, { csrf, keyed, keyless, problem }, over);
    } catch (thrown) {
      const pending = await this.#pending(id);
      if (pending === null) throw thrown;
      return overPage(pending, reader.now(), { why: reader.failureOf(thrown), problem });
    }
  }

  /** Approves what is shown; throws why not. Whatever comes of it is written down. */
  async approve(id: string, at: At): Promise<void> {
    const { app, over } = this.#desk;
    const { person } = at;
    const pending = await findPending(app, id);
    const shown = await review(app, pending, over, this.#report);
    const question = questionOf(shown, over);
    const typed = person.form?.get("typed") ?? "";
    if (question.typed !== null && typed.trim() === "") {
      throw new AmofError("type_to_confirm_failed", "Nothing was approved: no name was typed", {
        hint: `Type the ${question.typed.what}`,
      });
    }
    const decision = judgeTyped(question, typed);
    const evidence = decision === "accepted" ? await this.#proof(pending, at) : undefined;
    await this.#decide(pending, decision, byPerson(person, evidence));
    if (decision === "accepted") return;
    const { request } = await this.#pending(pending.id) ?? pending;
    const left = MOST_WRONG_TRIES - request.wrongTries;
    throw new AmofError("type_to_confirm_failed", "Nothing was approved: the name did not match", {
      hint: left > 0
        ? `Type the ${question.typed?.what ?? "name"} exactly; tries left: ${left}`
        : "The request is refused after 3 wrong names",
    });
  }

  /** The signature over what is approved, where that takes one; throws `passkey_required` for another one, or none. */
  async #proof(pending: PendingApproval, at: At): Promise<PasskeyEvidence | undefined> {
    const { app, keys } = this.#desk;
    if (!await needsPasskey(app, "http")) return undefined;
    const { id: request, request: { fingerprint } } = pending;
    try {
      const assertion = jsonIn(at.person.form?.get("assertion") ?? "") ?? null;
      if (assertion === null) await requirePasskey(app, request, byPerson(at.person));
      return await keys.proof(assertion, { request, fingerprint }, at);
    } catch (error) {
      await this.#decide(pending, "ask_failed", byPerson(at.person));
      throw error;
    }
  }

  /** What a browser needs to have a request approved with a passkey. */
  async challenge(id: string, at: At): Promise<AssertionOptions> {
    const { app, over, keys } = this.#desk;
    const pending = await findPending(app, id);
    await review(app, pending, over, this.#report);
    return await keys.approval(
      { request: pending.id, fingerprint: pending.request.fingerprint },
      at,
    );
  }

  /** Denies a request, which takes no passkey: a no is always safe. */
  async deny(id: string, { person }: At): Promise<void> {
    await this.#decide(await findPending(this.#desk.app, id), "declined", byPerson(person));
  }

  async #decide(pending: PendingApproval, decision: ApprovalDecision, by: Decider): Promise<void> {
    await decide(this.#desk.app, pending, { decision, by, report: this.#report });
  }
}

/** The routes of requests. */
export function approvalRoutes(desk: Desk): Routes {
  const { app, reader, show } = desk;
  const decisions = new Decisions(desk);
  const answer = (http: Http, verb: "approve" | "deny") =>
    http.post(`/approvals/:id/${verb}`, async ({ env, req }) => {
      const person = requirePerson(env.asking);
      const id = req.param("id");
      try {
        await decisions[verb](id, { person, port: env.port });
        // A redirect, so that a reload shows the page and does not repeat the answer.
        return new Response(null, { status: 303, headers: { location: `/approvals/${id}` } });
      } catch (thrown) {
        const error = toAmofError(thrown, () => app.system.ids.hex(8));
        return await show(
          env.asking,
          () => decisions.page(id, person.session.csrf, reader.failureOf(error)),
        );
      }
    });
  return (http) => {
    http.get("/approvals", ({ env }) => show(env.asking, () => approvalsPage(reader)));
    http.get(
      "/approvals/:id",
      ({ env, req }) =>
        show(env.asking, () =>
          decisions.page(
            req.param("id"),
            env.asking.kind === "person" ? env.asking.session.csrf : "",
            null,
          )),
    );
    http.post("/approvals/:id/challenge", async ({ env, req }) => {
      const at = { person: requirePerson(env.asking), port: env.port };
      return json(await decisions.challenge(req.param("id"), at));
    });
    answer(http, "approve");
    answer(http, "deny");
  };
}
