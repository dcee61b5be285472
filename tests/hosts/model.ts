/**
 * A stand-in of a model, for hosts that start their servers only once they talk to one: it has nothing to say.
 *
 * @module
 */

const SAID = { role: "assistant", content: "done" };

/** A model that has nothing to say. */
export interface StandIn {
  readonly url: string;
  /** What it was told since this was asked last. */
  readonly told: () => string;
  readonly stop: () => Promise<void>;
}

/** A stand-in on loopback that speaks the form of chat completions; everything else is not found. */
export function standIn(): StandIn {
  const bodies: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const told = await request.text();
      bodies.push(told);
      if (pathname.endsWith("/models")) {
        return Response.json({ object: "list", data: [{ id: "gpt-4o", object: "model" }] });
      }
      if (!pathname.endsWith("/chat/completions")) return Response.json({}, { status: 404 });
      const { stream } = JSON.parse(told) as { readonly stream?: boolean };
      const head = { id: "1", created: 1, model: "gpt-4o" };
      if (stream !== true) {
        return Response.json({
          ...head,
          object: "chat.completion",
          choices: [{ index: 0, message: SAID, finish_reason: "stop" }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        });
      }
      const chunk = (delta: object, reason: string | null) =>
        `data: ${
          JSON.stringify({
            ...head,
            object: "chat.completion.chunk",
            choices: [{ index: 0, delta, finish_reason: reason }],
          })
        }\n\n`;
      const body = `${chunk(SAID, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    told: () => bodies.splice(0).join("\n"),
    stop: () => server.shutdown(),
  };
}
