/** Seals of clones: which of their configuration may count when git is started there. */

export { SealGuard, shownSuspects, suspectNames, suspectsText } from "./guard.ts";
