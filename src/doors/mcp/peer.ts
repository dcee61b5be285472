/**
 * Our end of the protocol: the SDK's framing of requests and answers, without the rest of its server.
 *
 * The SDK's `Server` brings a validator of JSON Schema for forms and experimental tasks, neither of which is used here:
 * a third of what a server loads before it answers.
 */

import {
  type ClientCapabilities,
  Protocol,
  type ServerNotification,
  type ServerRequest,
  type ServerResult,
} from "./sdk.ts";

/** A server's end of one connection. What it says of itself, `initialize` answers. */
export class Peer extends Protocol<ServerRequest, ServerNotification, ServerResult> {
  #capabilities: ClientCapabilities = {};

  /** What the client can do; nothing before it has said so. */
  get clientCapabilities(): ClientCapabilities {
    return this.#capabilities;
  }

  /** Remembers what the client said of itself. */
  introduced(capabilities: ClientCapabilities): void {
    this.#capabilities = capabilities;
  }

  /** Only what a client says it can do is asked of it, which whoever asks has looked up. */
  protected override assertCapabilityForMethod(): void {}

  /** Notifications are written by the transport itself. */
  protected override assertNotificationCapability(): void {}

  /** What is served is what the features of the connection are made of. */
  protected override assertRequestHandlerCapability(): void {}

  /** There are no tasks. */
  protected override assertTaskCapability(method: string): void {
    throw new TypeError(`Tasks are not spoken: ${method}`);
  }

  /** There are no tasks. */
  protected override assertTaskHandlerCapability(): void {}
}
