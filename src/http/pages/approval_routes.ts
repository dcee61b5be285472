/**
 * Deciding about requests in the pages (SIGN-3): the same review and the same decision as `amof approve` and `amof deny`.
 *
 * @module
 */

import type { App } from "../../command/app.ts";
import { type ApprovalDecision, judgeTyped } from "../../command/consent/approver.ts";
import { decide, type Decider, findParked, review } from "../../command/consent/parked.ts";
import { questionOf } from "../../command/consent/question.ts";
import { AmofError, toAmofError } from "../../error.ts";
import { MOST_WRONG_TRIES } from "../../policy/token.ts";
import type { Parked } from "../../store/mod.ts";
import { type AskingPerson, requirePerson } from "../asking.ts";
import type { Http, Routes } from "../core.ts";
import { overPage, waitingPage } from "./approval.tsx";
import { approvalsPage } from "./approvals.tsx";
import type { Show } from "./frame.tsx";
import type { Failed } from "./parts.tsx";
import type { Reader } from "./reader.ts";
import type { Shown } from "./shown.ts";

/** What the routes work with. */
export interface Desk {
  readonly app: App;
  readonly reader: Reader;
  readonly show: Show;
  /** Aborted when the server ends. */
  readonly over: AbortSignal;
}

/** How a person at a page is named in the audit log. */
function byPerson({ session }: AskingPerson): Decider {
  return { door: "http", client: `${session.user}@page` };
}

/** Deciding about one request. */
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
  async #parked(id: string): Promise<Parked | null> {
    const { approvals } = await this.#desk.app.store();
    const [found, second] = /^[0-9a-f]{4,}$/.test(id) ? approvals.byPrefix(id) : [];
    return second === undefined ? found ?? null : null;
  }

  /** A request as it stands now; `problem` is why an answer to it did not count. */
  async page(id: string, csrf: string, problem: Failed | null): Promise<Shown> {
    const { app, reader, over } = this.#desk;
    try {
      const parked = await findParked(app, id);
      const shown = await review(app, parked, over, this.#report);
      return waitingPage(shown, { csrf, keyed: false, problem }, over);
    } catch (thrown) {
      const parked = await this.#parked(id);
      if (parked === null) throw thrown;
      return overPage(parked, reader.now(), { why: reader.failureOf(thrown), problem });
    }
  }

  /** Approves what is shown; throws why not. Whatever comes of it is written down. */
  async approve(id: string, person: AskingPerson): Promise<void> {
    const { app, over } = this.#desk;
    const parked = await findParked(app, id);
    const shown = await review(app, parked, over, this.#report);
    const question = questionOf(shown, over);
    const typed = person.form?.get("typed") ?? "";
    if (question.typed !== null && typed.trim() === "") {
      throw new AmofError("type_to_confirm_failed", "Nothing was approved: no name was typed", {
        hint: `Type the ${question.typed.what}`,
      });
    }
    const decision = judgeTyped(question, typed);
    await this.#decide(parked, decision, person);
    if (decision === "accepted") return;
    const { request } = await this.#parked(parked.id) ?? parked;
    const left = MOST_WRONG_TRIES - request.wrongTries;
    throw new AmofError("type_to_confirm_failed", "Nothing was approved: the name did not match", {
      hint: left > 0
        ? `Type the ${question.typed?.what ?? "name"} exactly; tries left: ${left}`
        : "The request is refused after 3 wrong names",
    });
  }

  /** Denies a request. */
  async deny(id: string, person: AskingPerson): Promise<void> {
    await this.#decide(await findParked(this.#desk.app, id), "declined", person);
  }

  async #decide(parked: Parked, decision: ApprovalDecision, person: AskingPerson): Promise<void> {
    const { app } = this.#desk;
    await decide(app, parked, { decision, by: byPerson(person), report: this.#report });
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
        await decisions[verb](id, person);
        // What is loaded again is the page and not the answer.
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
    answer(http, "approve");
    answer(http, "deny");
  };
}
