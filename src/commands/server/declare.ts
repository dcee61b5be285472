/** What the declarations of the commands have in common that start and end the server. */

/** Typing one is the consent to it. */
export const SERVER = {
  toolset: "server",
  scope: "server",
  next: "server_changed",
  about: "server",
  safety: "safe-write",
  confirm: "simple",
  typed: true,
} as const;
