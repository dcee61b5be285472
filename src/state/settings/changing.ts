/** Edits and lists of settings; for whoever only goes by them there is mod.ts. */

export { editorCommand } from "./pager.ts";
export { settingRows } from "./rows.ts";
export { changedText, newFile, settingsJsonSchema } from "./schema.ts";
