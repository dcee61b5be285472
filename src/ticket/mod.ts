/**
 * Tickets: work that spans repositories.
 *
 * @module
 */

export type { ListData as TicketList, ListedTicket } from "./list.ts";
export { TICKET_OPERATIONS } from "./operations.ts";
