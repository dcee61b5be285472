/**
 * Lets the person at the terminal write the message of a commit in their editor, as git would.
 *
 * @module
 */

import { join } from "@std/path";
import type { App } from "../command/app.ts";
import type { Call } from "../command/call.ts";
import type { GlobalFlags } from "../command/line/flags.ts";
import { carryOut } from "../command/pipeline.ts";
import { push } from "../ecosystem/mod.ts";
import { AmofError } from "../error.ts";
import { editorCommand } from "../settings/mod.ts";

/** What the preview of a push tells of one repository. */
interface Planned {
  readonly name: string;
  readonly branch: string;
  readonly commit_files: number;
  readonly files: readonly { readonly path: string; readonly change: string }[];
}

/** Whether a call commits with a message that nobody has given, and somebody sits there to write one. */
export function wantsMessage(call: Call, flags: GlobalFlags): boolean {
  const { command, args, attended, session } = call;
  return command === push && args["commit"] === true && args["message"] === undefined &&
    attended === true && flags.confirmName === null && session.mode === "execute";
}

/** What stands in the editor at first: nothing but comments. */
function template(repos: readonly Planned[]): string {
  return [
    "",
    "# Write the message of the commits below. Lines that begin with # are left out;",
    "# an empty message stops the push.",
    ...repos.flatMap(({ name, branch, commit_files, files }) => [
      "#",
      `# ${name} on ${branch}:`,
      ...files.map(({ path, change }) => `#   ${change.padEnd(9)}  ${path}`),
      ...(commit_files > files.length ? [`#   … and ${commit_files - files.length} more`] : []),
    ]),
    "",
  ].join("\n");
}

/** The message without comments, blank lines around it, and blanks at the ends of lines. */
function messageIn(text: string): string {
  return text.split(/\r?\n/).filter((line) => !line.startsWith("#"))
    .map((line) => line.trimEnd()).join("\n").trim();
}

function stopped(why: string): AmofError {
  return new AmofError("confirmation_cancelled", `Pushed nothing: ${why}`, {
    hint: "Give the message with the command: amof push --commit --message TEXT",
  });
}

/**
 * The call with the message that the person wrote; as it is where nothing would be committed. Throws when they wrote
 * none. The message is part of what is previewed and agreed to afterwards.
 */
export async function composed(app: App, call: Call): Promise<Call> {
  const { system, layout } = app;
  const plan = await carryOut(app, { ...call, args: { ...call.args, mode: "plan" } });
  const { repos = [] } = (plan.envelope["preview"] ?? {}) as { repos?: readonly Planned[] };
  const going = repos.filter((repo) => repo.commit_files > 0);
  // If the preview fails, the call itself will report the problem.
  if (plan.isError || going.length === 0) return call;
  const editor = await editorCommand(system, app.settings);
  if (editor === null) throw stopped("there is no editor for its message");
  const directory = join(layout.state, "edit", system.ids.hex(12));
  // Editors recognise a commit message by this file name.
  const file = join(directory, "COMMIT_EDITMSG");
  try {
    await system.files.write(file, template(going), { mode: 0o600 });
    const code = await system.processes.attach([...editor, file]);
    if (code !== 0) {
      throw stopped(
        code === null ? "the editor could not be started" : `the editor ended with ${code}`,
      );
    }
    const message = messageIn(await system.files.readText(file) ?? "");
    if (message === "") throw stopped("the message is empty");
    return { ...call, args: { ...call.args, message } };
  } finally {
    await system.files.removeTree(directory);
  }
}
