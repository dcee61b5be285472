/** What tickets are built, put away and ended with; for whoever only looks there is mod.ts. */

export { amongDigest, ticketStock } from "./stock.ts";
export {
  awayBeside,
  bringTicketBack,
  isAwayName,
  placeTaken,
  placeWorkspace,
  putTicketAway,
  renewTicketPorts,
  type TicketAway,
  ticketsAway,
} from "./away.ts";
export { withoutMoved } from "./beside.ts";
export { bringMirrors, buildClone, type ClonePlan, mirrorOf, type Mirrors } from "./build.ts";
export {
  freeTicket,
  releaseTicket,
  reservePorts,
  ticketSlug,
  ticketVariables,
  writeTicket,
} from "./ports.ts";
export { planTicketBox, unboxable } from "./box.ts";
