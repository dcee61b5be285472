/** The settings of a person: a file of their own, the environment, and what counts of both. */

export { aliasProblem, checkValue, fromText, problemLine } from "./check.ts";
export { type Color, COLORS, isColor, type Setting, settingNamed, SETTINGS } from "./declared.ts";
export { ENGINE_KINDS, type EngineKind, type EngineSetting } from "./engines.ts";
export {
  brokenSettings,
  checkSettings,
  loadSettings,
  NO_SETTINGS,
  pagerCommand,
  readSettings,
  type Settings,
  type SettingsFile,
  settingsPath,
  withSettings,
} from "./load.ts";
