/**
 * Tickets: work that spans repositories.
 *
 * @module
 */

export { endTicket } from "./end.ts";
export { listTickets } from "./list.ts";
export { TICKET_OPERATIONS } from "./operations.ts";
export { startTicket } from "./start.ts";
export { switchTicket } from "./switch.ts";
export { updateTicket } from "./update.ts";
