/**
 * The requests for a consent: how one is made and stored, the refusals that carry it, and how a person at a desktop hears
 * of one (CONFIRM-15). Nothing depends on that: it is not waited for, and whether it worked is nobody's business.
 */

import type { Fields } from "../../base/object.ts";
import { AmofError, type ErrorCode } from "../../base/error.ts";
import { factChanges } from "../../base/policy/changes.ts";
import {
  APPROVAL_LIFETIME_MS,
  MOST_LIVE_REQUESTS,
  TOKEN_LIFETIME_MS,
} from "../../base/policy/consent.ts";
import {
  type Confirmation,
  hashToken,
  type NewConfirmation,
  type Store,
} from "../../state/store/mod.ts";
import {
  type Environment,
  type ProcessRequest,
  type System,
  timestamp,
} from "../../base/system/mod.ts";
import { actionPhrase, capital, typedFor } from "./approver.ts";
import { type GateCall, hintFor, shownRequest, whereToDecide } from "./words.ts";
import { isDesktop } from "../../base/system/find_program.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { App } from "../app.ts";

/** How long the program that shows it may take. */
const SHOWING_MS = 10_000;
/** Who asks again and again is shown once in so many milliseconds. */
const REST_MS = 10_000;
/** When a program last told somebody. */
const told = new WeakMap<App["system"], number>();

/** What waits. */
interface Waits {
  readonly id: string;
  /** The preview in one sentence. */
  readonly summary: string;
  /** The program that asks, as it named itself. */
  readonly client: string;
}

/** The texts are taken from the environment: nothing of them is part of the script. */
const TOAST = `
[void][Windows.UI.Notifications.ToastNotificationManager, Windows.UI.Notifications, ContentType = WindowsRuntime]
$xml = [Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent(1)
$texts = $xml.GetElementsByTagName('text')
[void]$texts.Item(0).AppendChild($xml.CreateTextNode($env:AMOF_NOTE_TITLE))
[void]$texts.Item(1).AppendChild($xml.CreateTextNode($env:AMOF_NOTE_TEXT))
$toast = [Windows.UI.Notifications.ToastNotification]::new($xml)
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('amof').Show($toast)
`;

/** What shows a note on a platform's desktop. */
export function noteRequest(
  platform: Environment["platform"],
  title: string,
  text: string,
): Pick<ProcessRequest, "command" | "args" | "env"> {
  switch (platform) {
    case "linux":
      return { command: "notify-send", args: ["--app-name=amof", "--", title, text] };
    case "darwin":
      return {
        command: "osascript",
        args: [
          "-e",
          "on run words",
          "-e",
          "display notification (item 2 of words) with title (item 1 of words)",
          "-e",
          "end run",
          title,
          text,
        ],
      };
    case "windows":
      return {
        command: "powershell",
        args: ["-NoProfile", "-NonInteractive", "-Command", TOAST],
        env: { AMOF_NOTE_TITLE: title, AMOF_NOTE_TEXT: text },
      };
  }
}

/** A line that no desktop takes for markup, whoever wrote it. */
function plain(text: string, most: number): string {
  return cleanLine(text, most).replace(/[<>&]/g, " ");
}

/** Tells that a request waits, where a person sits at a desktop and has not turned that off. */
export function tellOfRequest({ system, settings }: App, { id, summary, client }: Waits): void {
  if (!settings.notify || !isDesktop(system.env)) return;
  const now = system.clock.now();
  if (now - (told.get(system) ?? -REST_MS) < REST_MS) return;
  told.set(system, now);
  const request = noteRequest(
    system.env.platform,
    "amof waits for you",
    `${plain(client, 60)} asks: ${plain(summary, 160)} Decide: amof approve ${id}`,
  );
  system.processes.run({ ...request, timeoutMs: SHOWING_MS }).catch(() => {});
}

/** What a call asks for, in a sentence: "push of shop". */
export function callPhrase(call: GateCall): string {
  return actionPhrase(call.command, call.preview, call.ecosystem, true);
}

/** Nobody has decided yet: the same token can ask again. */
export function pending(call: GateCall, request: Confirmation, token: string | null): AmofError {
  const id = request.approval?.id ?? "";
  return new AmofError(
    "approval_pending",
    `${capital(callPhrase(call))} still waits for a person; nothing has been changed yet`,
    {
      hint: `${whereToDecide(id, call.pages)}\nThen ask again`,
      details: {
        approval_id: id,
        expires_at: timestamp(request.expiresAt),
        way: "human",
        ...(token === null ? {} : {
          confirmation: shownRequest(call, {
            kind: request.kind,
            token,
            expiresAt: request.expiresAt,
            approvalId: id,
          }),
        }),
      },
    },
  );
}

/** Where requests are kept, and what clock they go by. */
export interface Keeping {
  readonly store: Store;
  readonly system: System;
  /** Told of a request that waits for a person now. */
  readonly waits?: (request: Waits) => void;
}

/** The refusal, with a fresh request, of a call whose preview is no longer what a person agreed to. */
export function stale(at: Keeping, call: GateCall, reviewed: unknown): AmofError {
  return refuse(at, call, {
    code: "confirmation_stale",
    message: "Things changed since the preview; nothing was done",
    details: { ...factChanges(reviewed, call.preview.facts) },
  });
}

/** A request to store for a call. */
export function requestOf(
  call: GateCall,
  { tokenHash, now, expiresAt, tokenOnly }: {
    readonly tokenHash: string;
    readonly now: number;
    readonly expiresAt: number;
    readonly tokenOnly: boolean;
  },
): NewConfirmation {
  const kind = kindOf(call);
  return {
    tokenHash,
    owner: call.owner,
    tool: call.command.name,
    args: call.input,
    ecosystem: call.ecosystem,
    ticket: call.ticket,
    kind,
    typedValue: kind === "type" ? typedFor(call.preview, call.ecosystem).value : null,
    fingerprint: call.fingerprint,
    preview: call.preview.facts,
    createdAt: now,
    expiresAt,
    tokenOnly,
    timeout: call.timeout,
  };
}

/** What a person has to do: a command that asks nobody is confirmed like a simple one where it has to be. */
function kindOf({ command: { confirm } }: GateCall): Confirmation["kind"] {
  return confirm === "none" ? "simple" : confirm;
}

/** Stores a request that waits for a person, and tells them; answers its id and until when it does. */
export function leaveToPerson(
  { store, system, waits }: Keeping,
  call: GateCall,
  tokenHash: string,
): { readonly id: string; readonly expiresAt: number } {
  const now = system.clock.now();
  const expiresAt = now + APPROVAL_LIFETIME_MS;
  const { summary } = call.preview;
  // An approval in a terminal is consent, however it was asked for.
  const request = requestOf(call, { tokenHash, now, expiresAt, tokenOnly: false });
  const asked = { ...call.asker, id: system.ids.hex(8), summary };
  const id = store.approvals.add(asked, request, MOST_LIVE_REQUESTS);
  waits?.({ id, summary, client: call.asker.client });
  return { id, expiresAt };
}

/** A refusal that carries a fresh request; with `tokenOnly` nothing but its token settles it. */
export function refuse(
  at: Keeping,
  call: GateCall,
  { code, message, details, tokenOnly = true }: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details: Fields;
    readonly tokenOnly?: boolean | undefined;
  },
): AmofError {
  const kind = kindOf(call);
  const { store, system: { ids, clock } } = at;
  const token = ids.uuid();
  const tokenHash = hashToken(token);
  const now = clock.now();
  const left = call.confirmBy === "human" ? leaveToPerson(at, call, tokenHash) : null;
  const expiresAt = left?.expiresAt ?? now + TOKEN_LIFETIME_MS;
  if (left === null) {
    // Who has no session has to name a token.
    const request = { tokenHash, now, expiresAt, tokenOnly: tokenOnly || !call.lasts };
    store.confirmations.add(requestOf(call, request), MOST_LIVE_REQUESTS);
  }
  const approvalId = left?.id ?? null;
  const way = { token, approvalId, isAnew: code === "confirmation_stale" };
  const confirmation = shownRequest(call, { kind, expiresAt, ...way });
  return new AmofError(code, message, {
    hint: hintFor(call, kind, { ...way, tokenOnly: tokenOnly || !call.lasts }),
    details: { ...details, confirmation },
  });
}
