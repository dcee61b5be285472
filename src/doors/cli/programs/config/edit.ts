/** `amof config edit`: opens the user file in the person's editor, and looks at what they wrote. */

import { program } from "../../../../pipeline/line/program.ts";
import { AmofError } from "../../../../base/error.ts";
import { brokenSettings, problemLine, readSettings } from "../../../../state/settings/mod.ts";
import { editorCommand, newFile } from "../../../../state/settings/changing.ts";
import { patch } from "../../../../base/text/parts.ts";
import { answerWith } from "../../answer.ts";
import { askYesNo, isInteractive } from "../../prompt.ts";
import { writeError } from "../../colors.ts";
import { notes, SCHEMA_FILE, writeSettings } from "../../settings_file.ts";

/** `amof config edit`. */
export const configEdit = program({
  path: ["config", "edit"],
  lenient: true,
  answers: true,
  acts: true,
  summary: "Open the user file in your editor, and check what you wrote.",
  description:
    "A new file begins with every setting as a comment. Where something is wrong afterwards you are told the line and can go on editing.",
  examples: ["config edit"],
  input: () => ({}),
  async main(ctx) {
    const { app, flags } = ctx;
    const { system } = app;
    const { terminal } = system;
    if (!isInteractive(terminal, system.env, flags)) {
      throw new AmofError("invalid_arguments", "Cannot open an editor: nobody sits at a terminal", {
        hint:
          "Change one setting: amof config set NAME VALUE\nSee where the file is: amof config path",
      });
    }
    const editor = await editorCommand(system, app.settings);
    if (editor === null) {
      throw new AmofError("invalid_arguments", "Cannot open an editor: there is none", {
        hint: "Set EDITOR\nName one: amof config set editor COMMAND",
      });
    }
    const before = await readSettings(system);
    if (before.text === null && before.errors.length === 0) {
      await writeSettings(system, before, newFile(SCHEMA_FILE));
    }
    const abort = new AbortController();
    const stopListening = terminal.onInterrupt(() => abort.abort());
    try {
      while (true) {
        const code = await system.processes.attach([...editor, before.path]);
        if (code !== 0) {
          throw new AmofError(
            "invalid_arguments",
            `Cannot go on: the editor ${
              code === null ? "could not be started" : `ended with ${code}`
            }`,
            { hint: "Choose another: AMOF_EDITOR=COMMAND amof config edit" },
          );
        }
        const file = await readSettings(system);
        if (file.errors.length === 0) {
          const { unifiedDiff } = await import("../../../../base/text/diff/unified.ts");
          const changes = unifiedDiff(before.text ?? "", file.text ?? "", file.path, file.path);
          return answerWith(ctx, {
            summary: changes === "" ? "Kept the settings as they were." : "Saved the settings.",
            details: [
              before.text === null ? file.path : patch(changes),
              ...notes(ctx, file),
            ],
          });
        }
        for (const error of file.errors) writeError(terminal, `${problemLine(error)}\n`);
        if (await askYesNo(terminal, "Go on editing?", abort.signal) !== true) {
          throw brokenSettings(file);
        }
      }
    } finally {
      stopListening();
    }
  },
});
