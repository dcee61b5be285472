/**
 * Clients that hold a server's connections and do nothing with them, or read nothing of what it answers.
 *
 * @module
 */

import type { ServerOf } from "./server.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A request as it goes over a connection, with the server's token. */
export function requestText(
  server: ServerOf,
  { method, path, headers = {}, body = "" }: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  },
): string {
  const lines = Object.entries({
    host: `127.0.0.1:${server.port}`,
    authorization: `Bearer ${server.token}`,
    "content-length": String(bytesOf(body).length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** Connections that stay open until they are disposed of; nothing that comes over them is read. */
export class RudeClients implements Disposable {
  readonly #connections: Deno.TcpConn[] = [];

  /** Opens connections, each of which sends the text that stands for it, and no more. */
  async open(server: ServerOf, count: number, text: (n: number) => string): Promise<void> {
    for (let n = 0; n < count; n++) {
      const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
      this.#connections.push(connection);
      // What the server does not take is not waited for: it may be right not to take all.
      void writeAll(connection, bytesOf(text(n))).catch(() => {});
    }
  }

  /** Breaks all connections, as clients do that are killed. */
  [Symbol.dispose](): void {
    for (const connection of this.#connections.splice(0)) {
      try {
        connection.close();
      } catch {
        // The server has closed it.
      }
    }
  }
}

async function writeAll(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}
