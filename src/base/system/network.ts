/** HTTP to servers elsewhere, and between programs of this machine. */

/** One request to a server. */
export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  /** These may be secret: nothing about them is in what comes back. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Whether the server only answers, or changes something. */
  readonly access: "read" | "write";
  /** After this many milliseconds it is given up, whole answer or not. */
  readonly timeoutMs: number;
  /** No more bytes of the answer are read. */
  readonly maxBytes: number;
  /** Gives it up when it aborts. */
  readonly signal?: AbortSignal;
}

/** Why no answer came, or none to its end. */
export type HttpFailure =
  /** Nothing was sent: there is no such host, nobody listens there, or its certificate is not trusted. */
  | "not_connected"
  /** This program may not go there. Nothing was sent. */
  | "not_allowed"
  /** The connection broke, or what came is no HTTP. What was sent may have arrived. */
  | "interrupted"
  | "timed_out"
  | "cancelled";

/** How a request ended. Redirects are answers as others: nobody follows them. */
export type HttpResult =
  | {
    readonly answered: true;
    readonly status: number;
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** Why the body ends before its end; null where it is whole. */
    readonly cut: HttpFailure | "too_large" | null;
  }
  | { readonly answered: false; readonly failure: HttpFailure; readonly reason: string };

/** Servers that are spoken to by HTTP. */
export interface Http {
  /** Sends a request, once. Resolves also when it fails. */
  send(request: HttpRequest): Promise<HttpResult>;
  /** Gives up the network, for the rest of this process where that is possible. */
  forgo(): void;
}

/** Who has a port. */
export interface PortHolder {
  readonly pid: number;
  /** The name of the program; null where it is not told. */
  readonly command: string | null;
}

/** A port of this machine on which this process answers. */
export interface Listener {
  readonly port: number;
  /** Takes no more requests; what is still open after so many milliseconds is cut off. */
  close(graceMs: number): Promise<void>;
}

/** HTTP between programs of this machine, which nothing of leaves it. Hosts are 127.0.0.1 or ::1. */
export interface Loopback {
  /** Whether this process may use it; one that has given up the network may not. */
  isAllowed(): boolean;
  /** Answers requests until it is closed; null when the port is taken. Port 0 is any free one. */
  listen(host: string, port: number, answer: (request: Request) => Promise<Response>): Promise<
    Listener | null
  >;
  /** Whether a port could be listened on now; `refused` where this process may not, or the machine has no such host. */
  stateOf(host: string, port: number): "free" | "taken" | "refused";
  /** Who listens on a port; null where nobody does, or the platform does not tell. */
  holder(port: number): Promise<PortHolder | null>;
  /** What a program of this machine answers to a GET; null when it gives no whole answer in time. */
  get(host: string, port: number, path: string, timeoutMs: number): Promise<
    { readonly status: number; readonly body: string } | null
  >;
}
