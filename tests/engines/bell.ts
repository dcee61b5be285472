/**
 * Hears of programs that have begun, wherever they run: on a cluster they share no file with the test.
 *
 * @module
 */

/** Where this machine listens: on itself, or where the pods of a real cluster reach it. */
export const ADDRESS = Deno.env.get("AMOF_TEST_ADDRESS") ?? "127.0.0.1";

/** Listens for git clients on this machine, which ask for the repository they are told. */
export class Bell implements Disposable {
  readonly #listener = Deno.listen({ hostname: ADDRESS, port: 0 });
  readonly #heard: string[] = [];

  constructor() {
    void this.#hear();
  }

  /** What to run in a shell: it asks for the repository it is in, and goes on. */
  get line(): string {
    return this.rung("$AMOF_REPO");
  }

  /** What to run in a shell to be heard with a word of letters, digits and dashes. */
  rung(word: string): string {
    const { port } = this.#listener.addr as Deno.NetAddr;
    return `git ls-remote "git://${ADDRESS}:${port}/${word}" >/dev/null 2>&1; `;
  }

  /** The repositories, or words, in which a program has begun, in alphabetical order, one for each time. */
  get heard(): readonly string[] {
    return this.#heard.toSorted();
  }

  async #hear(): Promise<void> {
    for await (const connection of this.#listener) void this.#answer(connection);
  }

  async #answer(connection: Deno.TcpConn): Promise<void> {
    const bytes = new Uint8Array(1_024);
    const asked = /git-upload-pack \/([\w-]+)\0/;
    let text = "";
    while (!asked.test(text)) {
      const read = await connection.read(bytes).catch(() => null);
      if (read === null) break;
      text += new TextDecoder().decode(bytes.subarray(0, read));
    }
    const name = asked.exec(text)?.[1];
    if (name !== undefined) this.#heard.push(name);
    connection.close();
  }

  [Symbol.dispose](): void {
    this.#listener.close();
  }
}
