/** Where a server is to listen, as calls say it. */

import { unlisted, type ZodNamespace } from "../../contract/mod.ts";

/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Where a server listens unless it is told otherwise (SERVER-1). */
export const DEFAULT_ADDRESS: Address = { host: "127.0.0.1", port: 8000 };

/** An address as the beginning of a URL. */
export function baseOf({ host, port }: Address): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The members of an input that say where a server listens. */
// deno-lint-ignore explicit-module-boundary-types -- the inferred type is what callers extend
export const addressInput = (z: ZodNamespace) => ({
  host: unlisted(
    z.enum(["127.0.0.1", "localhost", "::1"]).optional().describe(
      "Only this machine can be named (127.0.0.1)",
    ),
  ),
  port: unlisted(z.int().min(0).max(65_535).optional().describe("0: any free one (8000)")),
});

/** What a call says, else what stands for it. */
export function addressOf(
  input: { readonly host?: string | undefined; readonly port?: number | undefined },
  otherwise: Address,
): Address {
  const { host = otherwise.host, port = otherwise.port } = input;
  // A name can be made to lead elsewhere.
  return { host: host === "localhost" ? "127.0.0.1" : host, port };
}

/** The beginning of the addresses of pages: passkeys need a name, so it is never a number. */
export function pagesBase(port: number): string {
  return `http://localhost:${port}`;
}
