/** Seals of clones: which of their configuration may count when git is started there. */

export { SealKeeper, shownSuspects, suspectNames, suspectsText } from "./keeper.ts";
