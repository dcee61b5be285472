/**
 * The settings of a person: a file of their own, the environment, and what counts of both.
 *
 * @module
 */

export { type Color, COLORS, isColor } from "./declared.ts";
export { editorCommand } from "./editor.ts";
export { loadSettings, withSettings } from "./load.ts";
export { NO_SETTINGS, type Settings } from "./values.ts";
