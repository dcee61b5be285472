/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { addToTicket } from "./add.ts";
export { ticketConflicts } from "./conflicts.ts";
export { detachTicket } from "./detach.ts";
export { endTicket } from "./end.ts";
export { ticketEnv } from "./env.ts";
export { listTickets } from "./list.ts";
export { ticketPath } from "./path.ts";
export { moveTicket } from "./move.ts";
export { startTicket } from "./start.ts";
export { switchTicket } from "./switch.ts";
export { tryJoined } from "./try.ts";
export { updateTicket } from "./update.ts";
