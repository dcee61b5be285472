/**
 * Notes people and agents leave in an ecosystem.
 *
 * @module
 */

export { addJournal } from "./journal.ts";
