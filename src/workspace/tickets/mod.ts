/** What is known of tickets: their records, workspaces of their own, and who works there. */

export { refuseAtWork, runAtWork } from "./at_work.ts";
export {
  awayBeside,
  bringTicketBack,
  isAwayName,
  putTicketAway,
  renewTicketPorts,
  type TicketAway,
  ticketsAway,
} from "./away.ts";
export { planTicketBox, unboxable } from "./box.ts";
export { branchAgainCommand } from "./branch_again.ts";
export { buildClone, type ClonePlan, mirrorOf } from "./build.ts";
export { type EndedTicket, endedTickets, withEnded } from "./ended.ts";
export {
  againCommand,
  findGoneTicket,
  type GoneTicket,
  goneTickets,
  goneTicketsIfKnown,
  remainsText,
} from "./gone.ts";
export { PendingAgent } from "./pending_agent.ts";
export { reservePorts } from "./ports.ts";
export {
  endedFile,
  findTicketWorkspace,
  isLeft,
  type ListedTicketWorkspace,
  loadRecord,
  recordFile,
  saveRecord,
  ticketDirectory,
  type TicketRecord,
  type TicketRepo,
  type TicketWorkspace,
  ticketWorkspaces,
} from "./record.ts";
export { freeTicket, releaseTicket } from "./release.ts";
export { requireTicketWorkspace, scopeManifest } from "./scope.ts";
export { amongDigest, ticketStock } from "./stock.ts";
export { ticketSlug, ticketVariables } from "./variables.ts";
export {
  allAreas,
  type Area,
  areaHere,
  labelOf,
  namedInAny,
  type OfTicket,
  type Unreadable,
  usableTickets,
} from "./areas.ts";
export { bringMirrors, type Mirrors } from "./mirrors.ts";
export { isOwnState } from "./state.ts";
export { baseOf, remoteBase, updateWaiting } from "./updating.ts";
