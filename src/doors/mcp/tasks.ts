/**
 * Runs as tasks of the protocol's extension (MCP-21), for clients without a session that declare it. A call
 * that starts a run is answered with a task, which any process can be asked about.
 */

import {
  type Approver,
  isFor,
  nobody,
  type Question,
  seal,
  type State,
  unseal,
} from "../../pipeline/consent/approver.ts";
import { type App, knownRoots } from "../../pipeline/app.ts";
import type { Outcome } from "../../pipeline/envelope.ts";
import { outcomeInToolWords } from "../../pipeline/tool_words.ts";
import { ownerOf } from "../../pipeline/context.ts";
import { approvalPage } from "../../pipeline/consent/words.ts";
import { carryOut } from "../../pipeline/pipeline.ts";
import { ownCommand } from "../../pipeline/registry.ts";
import { Session } from "../../pipeline/session.ts";
import { type Fields, fieldsOf } from "../../base/object.ts";
import { firstOfWings } from "../../pipeline/wings.ts";
import { timestamp } from "../../base/system/mod.ts";
import { type Confirmation, hashToken, type PendingApproval } from "../../state/store/mod.ts";
import type { Known } from "../../contract/mod.ts";
import { type Door, offered } from "./selection.ts";
import {
  type Exchange,
  type InputRequired,
  invalidParams,
  MODERN_REVISION,
  type Returning,
  type Started,
  type TaskFeature,
} from "./features.ts";
import { lookUp } from "./look_up.ts";
import { resultOf } from "./result.ts";
import { AmofError } from "../../base/error.ts";
import { sha256 } from "../../base/hash.ts";
import { canonicalJson } from "../../base/policy/fingerprint.ts";
import { maskValue } from "../../base/text/mask.ts";
import { note } from "../../pipeline/audit.ts";
import { findRoot } from "../../commands/ecosystem/root.ts";
import { formFor, readForm, showsForms } from "./elicit.ts";

// Asks a person with the answer of a call, for clients whose revision has no requests of the server (MCP-19).
// The form goes out as an input request, and comes back with the repeated call and the sealed state.

/** The name under which the key of this installation is kept. */
const KEY_SETTING = "mcp_state_key";

interface Came {
  readonly app: App;
  readonly session: Session;
  readonly tool: string;
  readonly args: Fields;
  readonly client: string;
  /** Whether forms are asked for at all. */
  readonly forms: boolean;
  /** Whether it may be answered with a task, which asks for the page of an approval by itself. */
  readonly asTask: boolean;
}

/** How the person of a call is asked. */
export interface Asking {
  readonly approver: Approver;
  /** What the answer asks, once the call has put a question; null for none. */
  question(): Promise<InputRequired | null>;
}

/** Nobody is asked. */
const NOT_ASKING: Asking = { approver: nobody, question: () => Promise.resolve(null) };

/** The control repository that calls are about; empty where there is none, which some commands do not need. */
async function rootOf(app: App): Promise<string> {
  try {
    return await findRoot(app.system, app.root, app.settings.root, () => knownRoots(app));
  } catch (error) {
    if (error instanceof AmofError) return "";
    throw error;
  }
}

/** Refuses a state that was not sealed here, or for another call; says nothing of which it is. */
async function refuse({ app, session, tool, args, client }: Came): Promise<never> {
  const report = { log: (_level: unknown, message: string) => app.system.terminal.err(message) };
  await note(app, report, {
    at: app.system.clock.now(),
    door: "mcp",
    client,
    sessionId: session.id,
    root: "",
    ecosystem: "",
    tool,
    args: maskValue(args),
    mode: session.mode,
    decision: "confirmation_invalid",
    way: "elicitation",
    fingerprint: null,
    outcome: "confirmation_invalid",
    runId: null,
  });
  throw invalidParams("requestState is not valid for this request");
}

async function bindingOf(came: Came): Promise<Pick<State, "tool" | "args" | "principal">> {
  return {
    tool: came.tool,
    args: sha256(canonicalJson(came.args)),
    // Who calls, and about which control repository: a state is good for nobody else.
    principal: sha256(`${came.session.owner}\0${await rootOf(came.app)}`),
  };
}

async function keyOf({ store, system }: App): Promise<string> {
  return (await store()).settings.once(KEY_SETTING, () => system.ids.hex(64));
}

/** What a client is sent of a question; a form begins with what changed since it was put before. */
function paramsOf({ asks, changed }: Question): Fields {
  if (asks.by === "page") return { mode: "url", url: asks.url, message: asks.message };
  const form = { mode: "form", ...formFor(asks.request) };
  if (changed.length === 0) return form;
  const what = changed.map((line) => `- ${line}`).join("\n");
  return { ...form, message: `Things changed since you were asked:\n${what}\n\n${form.message}` };
}

/**
 * Reads what came with a call, and says how its person is asked. Throws −32602 for a state that is not this call's;
 * nothing is settled by that.
 */
export async function asking(came: Came, returning: Returning): Promise<Asking> {
  const { requestState, inputResponses, capabilities } = returning;
  let state: State | null = null;
  if (requestState !== null) {
    state = unseal(await keyOf(came.app), requestState);
    if (state === null || !isFor(state, await bindingOf(came))) return await refuse(came);
  }
  const { elicitation } = capabilities;
  const forms = came.forms && showsForms(elicitation);
  const pages = !came.asTask && fieldsOf(elicitation)["url"] !== undefined;
  if (!forms && !pages) return NOT_ASKING;
  const said = state === null ? undefined : inputResponses?.[state.question];
  let put: Question | null = null;
  return {
    approver: {
      ask: nobody.ask,
      rounds: {
        forms,
        pages,
        came: state,
        answerTo: (request, afterMs) =>
          said === undefined
            ? null
            : readForm(request, { action: said["action"], content: said["content"] }, afterMs),
        opened: () => said === undefined ? null : said["action"] === "accept",
        put: (question) => put = question,
      },
    },
    async question() {
      if (put === null) return null;
      const { carried } = put;
      const params = paramsOf(put);
      return {
        resultType: "input_required",
        inputRequests: { [carried.question]: { method: "elicitation/create", params } },
        requestState: seal(await keyOf(came.app), { ...carried, ...await bindingOf(came) }),
      };
    },
  };
}

/** The tools by which runs are looked at and ended. */
const STATUS_TOOL = "amof_get_run_status";
const CANCEL_TOOL = "amof_cancel_run";
/** The tool that lets begin what a person has approved. */
const CONFIRM_TOOL = "amof_confirm";

/** What a client may do again after so many milliseconds. */
const POLL_MS = 2_000;

/** For so long a run may take to be known after its approval; when it is not then, its process has died. */
const BEGINS_MS = 60_000;

/** The statuses of runs in the words of the extension; a run that failed has a result that says so. */
const STATUSES: Readonly<Record<string, string>> = {
  queued: "working",
  paused: "working",
  running: "working",
  success: "completed",
  failed: "completed",
  cancelled: "cancelled",
};

/** Who was given a task may end it. */
const GIVEN: Approver = { ask: () => Promise.resolve({ decision: "accepted", way: "flag" }) };

/** What is told of a task at any time. */
function taskOf(id: string, status: string, { created, updated, message }: {
  readonly created: string;
  readonly updated: string;
  readonly message: string;
}): Fields {
  return {
    taskId: id,
    status,
    statusMessage: message,
    createdAt: created,
    lastUpdatedAt: updated,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
}

/** The answer to a call that started a run, as a task. */
export function startedTask({ runId, envelope, summary }: Outcome): Started {
  const created = String(envelope["created_at"]);
  const task = taskOf(String(runId), "working", { created, updated: created, message: summary });
  return { ...task, resultType: "task" };
}

/** What is told of a task that waits for a person. */
function waiting(id: string, { created, updated, summary, approval }: {
  readonly created: string;
  readonly updated: string;
  readonly summary: string;
  readonly approval: string;
}): Fields {
  const message = `${summary} It waits for a person: amof approve ${approval}`;
  return taskOf(id, "input_required", { created, updated, message });
}

/**
 * The answer to a call that waits for a person before its run begins, as a task whose id is the token; null for any
 * other answer.
 */
export function waitingTask(
  { system }: Pick<App, "system">,
  { envelope }: Outcome,
): Started | null {
  const { token, summary, approval } = fieldsOf(envelope["confirmation"]);
  const { id } = fieldsOf(approval);
  if (typeof token !== "string" || typeof id !== "string") return null;
  const now = timestamp(system.clock.now());
  const told = { created: now, updated: now, summary: String(summary), approval: id };
  return { ...waiting(token, told), resultType: "task" };
}

/** What a client that opens pages is asked while a person has to decide; nothing where there is no page. */
async function questionsOf(
  { system }: Pick<App, "system">,
  { id, root, summary }: PendingApproval,
  { returning }: Exchange,
): Promise<Fields> {
  if (fieldsOf(returning?.capabilities["elicitation"])["url"] === undefined) return {};
  const pages = await firstOfWings((wing) => wing.pages?.(system, root));
  if (pages === null) return {};
  const params = {
    mode: "url",
    url: approvalPage(pages, id),
    message: `${summary} Decide in the browser?`,
  };
  return { approval: { method: "elicitation/create", params } };
}

/** The tasks of a door; null where it does not offer to look at runs. */
export function taskFeature(door: Door): TaskFeature | null {
  if (offered(door, STATUS_TOOL) === null) return null;
  const { app } = door;
  const now = () => timestamp(app.system.clock.now());
  const offers = (other: Known) => door.selection.judge(other).offered;

  const lookAt = async (id: string, exchange: Exchange): Promise<Outcome | null> => {
    const outcome = await lookUp(door, STATUS_TOOL, { run_id: id }, exchange);
    // Other tools take the beginning of an id.
    return outcome.isError || outcome.envelope["run_id"] !== id ? null : outcome;
  };

  /** Calls a tool for whoever was given the task, who may do that without being asked. */
  const call = async (tool: string, args: Fields, exchange: Exchange): Promise<Outcome> => {
    const { id, owner, maxMode, bound } = door.session();
    const session = new Session({ id, owner, mode: maxMode, maxMode, bound, lasts: false });
    const outcome = await carryOut(app, {
      command: await ownCommand(tool),
      args,
      session,
      door: "mcp",
      client: exchange.client,
      signal: exchange.signal,
      report: { log: () => {}, progress: () => {} },
      approver: GIVEN,
      confirmBy: door.confirmBy,
      offers,
    });
    return await outcomeInToolWords(outcome, offers);
  };

  /** A run as a task with an id. */
  const ofRun = (id: string, outcome: Outcome): Fields => {
    const { envelope, summary } = outcome;
    const run = String(envelope["status"]);
    const status = STATUSES[run] ?? "working";
    const ended = envelope["finished_at"];
    const task = taskOf(id, status, {
      created: String(envelope["created_at"]),
      updated: typeof ended === "string" ? ended : now(),
      message: summary,
    });
    if (status !== "completed") return task;
    const result = resultOf(
      { ...outcome, isError: run === "failed" },
      door.session(),
      MODERN_REVISION,
    );
    return { ...task, result: { resultType: "complete", ...result } };
  };

  /** The request for an approval that a task waits for; null for an unknown task. */
  const requestOf = async (id: string): Promise<Confirmation | null> => {
    const { confirmations } = await app.store();
    const owner = ownerOf({ door: "mcp", session: door.session() }, await rootOf(app));
    const request = confirmations.find(hashToken(id), owner);
    return (request?.approval ?? null) === null ? null : request;
  };

  /** A task whose run begins with an approval. */
  const ofRequest = async (
    id: string,
    { outcome, fingerprint, createdAt, expiresAt, settledAt, approval }: Confirmation,
    exchange: Exchange,
  ): Promise<Fields> => {
    const { approvals, audit } = await app.store();
    const created = timestamp(createdAt);
    const settled = settledAt === null ? now() : timestamp(settledAt);
    if (outcome === "cancelled") {
      const message = "It was cancelled before a person decided";
      return taskOf(id, "cancelled", { created, updated: settled, message });
    }
    if (outcome === "accepted" && settledAt !== null) {
      const run = audit.runAgreed(fingerprint, settledAt);
      const found = run === null ? null : await lookAt(run, exchange);
      if (found !== null) return { ...ofRun(id, found), createdAt: created };
      const message = `Approved by ${approval?.decidedBy ?? "a person"}; it begins`;
      const begins = taskOf(id, "working", { created, updated: settled, message });
      if (app.system.clock.now() < settledAt + BEGINS_MS) return begins;
    }
    const [pending] = approvals.byPrefix(approval?.id ?? "");
    const waits = approval?.decision === "pending" && expiresAt > app.system.clock.now();
    if (outcome === null && waits && pending !== undefined) {
      const told = { created, updated: created, summary: pending.summary, approval: pending.id };
      return { ...waiting(id, told), inputRequests: await questionsOf(app, pending, exchange) };
    }
    // Whoever asks first after a person has decided lets it begin.
    const redeemed = await call(CONFIRM_TOOL, { token: id }, exchange);
    const later = await requestOf(id);
    // Another was faster; what kept this one from beginning is told as it is.
    const isSpent = redeemed.envelope["error"] === "confirmation_invalid";
    if (outcome === null && isSpent && later?.outcome === "accepted") {
      return await ofRequest(id, later, exchange);
    }
    const { runId, isError, summary } = redeemed;
    const begun = runId === null || isError ? null : await lookAt(runId, exchange);
    if (begun !== null) return { ...ofRun(id, begun), createdAt: created };
    const task = taskOf(id, "completed", { created, updated: now(), message: summary });
    const result = resultOf(redeemed, door.session(), MODERN_REVISION);
    return { ...task, result: { resultType: "complete", ...result } };
  };

  return {
    async get(id, exchange) {
      const run = await lookAt(id, exchange);
      if (run !== null) return ofRun(id, run);
      const request = await requestOf(id);
      return request === null ? null : await ofRequest(id, request, exchange);
    },

    async cancel(id, exchange) {
      const request = await requestOf(id);
      const { audit, confirmations } = await app.store();
      const isOver = request !== null && request.settledAt !== null;
      const run = isOver ? audit.runAgreed(request.fingerprint, request.settledAt) : id;
      if (request !== null && run === id) {
        confirmations.settle(request.tokenHash, "cancelled", app.system.clock.now());
        return true;
      }
      if (run === null) return true;
      if (await lookAt(run, exchange) === null) return false;
      // Where nothing may be changed, it is acknowledged and has no effect.
      if (offered(door, CANCEL_TOOL) === null || door.session().maxMode !== "execute") return true;
      await call(CANCEL_TOOL, { run_id: run, mode: "execute", confirm: true }, exchange);
      return true;
    },
  };
}
