/** Seals of clones: which of their configuration may count when git is started there. */

export { SealKeeper } from "./keeper.ts";
export { shownSuspects, suspectNames, suspectsText } from "./names.ts";
