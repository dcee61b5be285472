/** Edits and lists of settings; for whoever only goes by them there is mod.ts. */

export { changedText } from "./change.ts";
export { editorCommand } from "./editor.ts";
export { settingRows } from "./rows.ts";
export { newFile, settingsJsonSchema } from "./schema.ts";
