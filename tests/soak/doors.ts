/**
 * The ways in which people and programs reach the program: what each does with a call, and what it was answered.
 *
 * @module
 */

import type { Choice } from "../chaos/choices.ts";
import type { Random } from "../chaos/random.ts";
import { PseudoTerminal, quoted } from "../support/pseudo_terminal.ts";
import { program } from "../support/world.ts";
import type { Site } from "./site.ts";

/** An answer, whichever door gave it. */
export interface Answer {
  /** The code of an error, `ok`, or `broken` where there was none. */
  readonly code: string;
  readonly text: string;
}

/** Somebody at one of the doors. */
export interface Door extends AsyncDisposable {
  readonly name: string;
  /** Whether it can make a call. */
  offers(choice: Choice): boolean;
  call(choice: Choice, ecosystem: string, random: Random): Promise<Answer>;
  /** Opens it again after what stands behind it has gone. */
  reopen(): Promise<void>;
  /** The process that it alone speaks to, where there is one. */
  readonly pid: number | null;
}

/** How long one command may take, in milliseconds. */
export const PATIENCE_MS = 120_000;

const NOTHING = {
  pid: null,
  reopen: () => Promise.resolve(),
  [Symbol.asyncDispose]: async () => {},
};

function codeIn(text: string, exit: number | string): Answer {
  try {
    const data = JSON.parse(text) as Record<string, unknown>;
    return { code: String(data["error"] ?? "ok"), text };
  } catch {
    return { code: "broken", text: `${exit}: ${text}` };
  }
}

/** A person, or a script, with one process for each call. */
export function commandLine(site: Site): Door {
  return {
    ...NOTHING,
    name: "command line",
    offers: () => true,
    async call({ words }, ecosystem, random) {
      const [command = "", ...before] = program();
      const args = [...before, "--json", "-e", ecosystem, ...words];
      const { env, ended } = await site.strikes.next(random);
      const child = site.world.spawn(command, args, { env });
      const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
      const { code, signal, stdout, stderr } = await child.output();
      clearTimeout(timer);
      await ended();
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      const answer = codeIn(decode(stdout), signal ?? code);
      return answer.code === "broken"
        ? { ...answer, text: `${answer.text}${decode(stderr)}` }
        : answer;
    },
  };
}

/** A person at a terminal, who answers what they are asked: mostly yes, sometimes no. */
export function terminal(site: Site): Door {
  return {
    ...NOTHING,
    name: "terminal",
    offers: () => true,
    async call({ words }, ecosystem, random) {
      const asked = words.filter((word) => word !== "--yes");
      const answer = random.below(4) === 0 ? "n\n" : "y\n";
      const line = `exec ${[...program(), "-e", ecosystem, ...asked].map(quoted).join(" ")}`;
      const { env, ended } = await site.strikes.next(random);
      let answered = false;
      const pseudo: PseudoTerminal = new PseudoTerminal(
        site.world,
        line,
        { env: { TERM: "xterm", PAGER: "cat", ...env } },
        async () => {
          if (answered || !/\[y\/N\]\s*$/.test(pseudo.text)) return;
          answered = true;
          await pseudo.types(answer).catch(() => {});
        },
      );
      const code = await pseudo.ends(PATIENCE_MS, () => `it hangs: ${pseudo.text}`);
      await ended();
      const { text } = pseudo;
      if (code === 0) return { code: "ok", text };
      if (code > 128) return { code: "broken", text: `${code}: ${text}` };
      return { code: answered && answer === "n\n" ? "declined" : `exit ${code}`, text };
    },
  };
}

const ACTIONS: Readonly<Record<string, string>> = {
  amof_install_ecosystem: "install",
  amof_get_ecosystem_status: "status",
  amof_sync_ecosystem: "sync",
  amof_push_ecosystem: "push",
  amof_archive_ecosystem: "archive",
  amof_ticket_start: "ticket-start",
  amof_ticket_list: "ticket-list",
  amof_ticket_switch: "ticket-switch",
  amof_ticket_end: "ticket-end",
};
const LOOKS: Readonly<Record<string, string>> = {
  amof_list_ecosystems: "/ecosystems",
  amof_list_runs: "/runs?limit=20",
};

/** A program that speaks HTTP. */
export function httpApi(site: Site): Door {
  const post = async (path: string, body: unknown): Promise<Answer> => {
    const { status, body: text } = await site.server.ask(`/api/v1${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return codeIn(text, status);
  };
  return {
    ...NOTHING,
    name: "HTTP API",
    offers: ({ tool }) => tool in ACTIONS || tool in LOOKS,
    async call({ tool, args }, ecosystem) {
      const path = LOOKS[tool];
      if (path !== undefined) {
        const { status, body } = await site.server.ask(`/api/v1${path}`);
        return codeIn(body, status);
      }
      const action = `/ecosystems/${ecosystem}/actions/${ACTIONS[tool]}`;
      const answer = await post(action, { ...args, mode: "execute" });
      if (answer.code !== "confirmation_required") return answer;
      const { confirmation } = JSON.parse(answer.text) as { confirmation?: { token?: string } };
      return await post("/confirmations", { token: confirmation?.token, mode: "execute" });
    },
  };
}
