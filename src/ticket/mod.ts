/**
 * Tickets: work that spans repositories.
 *
 * @module
 */

export { TICKET_OPERATIONS } from "./operations.ts";
