/** What is known of tickets: their records, workspaces of their own, and who works there. */

export {
  type EndedTicket,
  endedTickets,
  findGoneTicket,
  type GoneTicket,
  goneTickets,
  goneTicketsIfKnown,
  remainsText,
  withEnded,
} from "./gone.ts";
export {
  endedFile,
  findTicketWorkspace,
  isLeft,
  isTicketDirectory,
  type ListedTicketWorkspace,
  loadRecord,
  recordFile,
  requireTicketWorkspace,
  saveRecord,
  scopeManifest,
  ticketDirectory,
  type TicketDraft,
  type TicketRecord,
  type TicketRepo,
  type TicketWorkspace,
  ticketWorkspaces,
} from "./record.ts";
export { isOwnState } from "../state.ts";
export { baseOf, baseOfBranch, basesOfTickets, hasChosenBase, isBaseBranch } from "./bases.ts";
export { branchAgain, jointRef, ticketUpdating, updateWaiting, type Updating } from "./updating.ts";
export {
  branchFor,
  keptForActive,
  keptForOthers,
  type PutAway,
  stashFor,
  stashName,
  type StrayKept,
} from "./away.ts";
