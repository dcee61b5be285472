/** What the commands have in common that look into all repositories. */

/** They are about the workspace they are called for, and show text that others wrote. */
export const LOOKING = {
  toolset: "ecosystem",
  scope: "ecosystem",
  extra: true,
  openWorld: "text",
  inWorkspace: true,
  inTicket: true,
  next: [],
} as const;
