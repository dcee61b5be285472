/** Words of this room that several modules say. */

/** What a run did, in the words of its command: `ticket_start` is `ticket start`. */
export function deedOf(action: string): string {
  return action.replaceAll("_", " ");
}
