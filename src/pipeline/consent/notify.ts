/**
 * Tells a person at a desktop that something waits for them (CONFIRM-15). Nothing depends on it: it is not waited for,
 * and whether it worked is nobody's business.
 */

import { isDesktop } from "../../base/system/desktop.ts";
import type { Environment, ProcessRequest } from "../../base/system/mod.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import type { App } from "../app.ts";

/** How long the program that shows it may take. */
const SHOWING_MS = 10_000;
/** Who asks again and again is shown once in so many milliseconds. */
const REST_MS = 10_000;
/** When a program last told somebody. */
const told = new WeakMap<App["system"], number>();

/** What waits. */
export interface Waits {
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
