/** Edits and lists of settings; for whoever only goes by them there is mod.ts. */

export { editorCommand } from "./load.ts";
export { changedText, newFile, settingRows, settingsJsonSchema } from "./schema.ts";
