// Covers install.sh against a server on this machine: what it installs, and everything that it must refuse, after
// which what was installed before is still there.

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { makeArchive } from "../../.github/packaging/archive.ts";
import { installScript } from "../../.github/packaging/install.ts";
import { PROJECT } from "../../.github/packaging/project.ts";
import { SUMS, writeSums } from "../../.github/packaging/sums.ts";
import { run } from "../../.github/packaging/tools.ts";
import { signature, type SigningKey, signingKey } from "./_minisign.ts";
import { isInstalled } from "./_programs.ts";
import { smallRelease } from "./_release.ts";

const { version } = PROJECT;

/** What the script needs of every system. */
const TOOLS =
  "sh curl mktemp rm uname head tail sed cat awk tar gzip cut base64 od tr mkdir cp mv chmod ln"
    .split(" ");

/** A server of releases, and a home to install into. */
class Shelf implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  private constructor(
    readonly directory: string,
    readonly key: SigningKey,
    /** What is answered by path; what is not here is not found. */
    readonly files: Map<string, Uint8Array<ArrayBuffer> | string>,
  ) {
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
      const found = this.files.get(new URL(request.url).pathname);
      return found === undefined ? new Response(null, { status: 404 }) : new Response(found);
    });
  }

  /** A server that has one good release. */
  static async open(program?: string): Promise<Shelf> {
    const directory = await Deno.realPath(await Deno.makeTempDir());
    const release = await smallRelease(directory);
    if (program !== undefined) await Deno.writeTextFile(release.program, program);
    const archive = await makeArchive(release);
    await writeSums(release.output, null);
    const shelf = new Shelf(directory, signingKey(), new Map());
    const at = `/download/v${version}`;
    const sums = await Deno.readTextFile(join(release.output, SUMS));
    shelf.files.set("/latest/download/VERSION", `${version}\n`);
    shelf.files.set(`${at}/${archive}`, await Deno.readFile(join(release.output, archive)));
    shelf.sign(sums);
    await Deno.mkdir(shelf.home);
    await Deno.writeTextFile(shelf.script, await installScript(shelf.key.publicKey));
    return shelf;
  }

  /** Puts signed sums up. */
  sign(sums: string, comment = `amof v${version}`, key = this.key): void {
    this.files.set(`/download/v${version}/${SUMS}`, sums);
    this.files.set(`/download/v${version}/${SUMS}.minisig`, signature(key, sums, comment));
  }

  get sums(): string {
    return String(this.files.get(`/download/v${version}/${SUMS}`));
  }

  get home(): string {
    return join(this.directory, "home");
  }

  get script(): string {
    return join(this.directory, "install.sh");
  }

  get programs(): string {
    return join(this.home, ".local/bin");
  }

  /** Runs the script. */
  async install(
    { args = [], env = {}, tools = ["openssl", "sha256sum"] }: {
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      /** What the system has besides. */
      readonly tools?: readonly string[];
    } = {},
  ): Promise<{ readonly code: number; readonly out: string; readonly error: string }> {
    const path = await Deno.makeTempDir({ dir: this.directory });
    for (const name of [...TOOLS, ...tools]) {
      const place = (await run("sh", ["-c", `command -v ${name}`])).trim();
      await Deno.symlink(place, join(path, name));
    }
    const { code, stdout, stderr } = await new Deno.Command("/bin/sh", {
      args: [this.script, ...args],
      clearEnv: true,
      env: {
        PATH: path,
        HOME: this.home,
        AMOF_RELEASES: `http://127.0.0.1:${this.#server.addr.port}`,
        ...env,
      },
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, out: text(stdout), error: text(stderr) };
  }

  /** What lies where programs go. */
  async installed(): Promise<string[]> {
    const names = await Array.fromAsync(Deno.readDir(this.programs)).catch(() => []);
    return names.map((entry) => entry.name).toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    await Deno.remove(this.directory, { recursive: true });
  }
}

const ignore = Deno.build.os !== "linux" || !isInstalled("openssl") || !isInstalled("curl");

Deno.test({
  name: "install.sh installs the latest release, again over an older one, and removes it",
  ignore,
  async fn() {
    await using shelf = await Shelf.open();
    const first = await shelf.install();
    assertEquals(first.error, "");
    assertEquals(first.code, 0);
    assertStringIncludes(first.out, `Installed amof ${version} in ${shelf.programs}\n`);
    assertStringIncludes(first.out, `export PATH="${shelf.programs}:$PATH"\n`);
    assertEquals(await run(join(shelf.programs, "agentpack"), ["--version"]), `amof ${version}\n`);
    await Deno.writeTextFile(join(shelf.programs, "amof"), "old");
    assertEquals((await shelf.install({ env: { AMOF_VERSION: `v${version}` } })).code, 0);
    assertEquals(await run(join(shelf.programs, "amof"), ["--version"]), `amof ${version}\n`);
    assertEquals(await shelf.installed(), ["agentpack", "amof"]);
    assertEquals((await shelf.install({ args: ["--uninstall"] })).code, 0);
    assertEquals(await shelf.installed(), []);
    const again = await shelf.install({ args: ["--uninstall"] });
    assertEquals([again.code, again.error.split("\n")[0]], [
      1,
      `error: there is no amof in ${shelf.programs}`,
    ]);
  },
});

const REFUSED:
  readonly (readonly [what: string, spoil: (shelf: Shelf) => void, message: string])[] = [
    [
      "an archive that was changed",
      (shelf) => shelf.files.set(`/download/v${version}/${archiveHere()}`, "other"),
      `the sum of ${archiveHere()} is not the one that was signed`,
    ],
    [
      "sums that were changed",
      (shelf) => shelf.files.set(`/download/v${version}/${SUMS}`, `${shelf.sums} `),
      `the signature of ${SUMS} is not that of amof's releases`,
    ],
    [
      "sums that another key has signed",
      (shelf) => shelf.sign(shelf.sums, undefined, signingKey()),
      `the signature of ${SUMS} is not that of amof's releases`,
    ],
    [
      "a comment that was changed",
      (shelf) => {
        const path = `/download/v${version}/${SUMS}.minisig`;
        shelf.files.set(
          path,
          String(shelf.files.get(path)).replace(`amof v${version}`, "amof v9.9.9"),
        );
      },
      `the signature of ${SUMS} is not that of amof's releases`,
    ],
    [
      "an older release under a newer name",
      (shelf) => shelf.sign(shelf.sums, "amof v0.0.9"),
      `what was downloaded is another version than ${version}`,
    ],
    [
      "a release without the archive of this system",
      (shelf) => {
        shelf.sign(shelf.sums.replace(archiveHere(), "amof-for-others.tar.gz"));
      },
      `the release has no ${archiveHere()}`,
    ],
    [
      "a release that is not there",
      (shelf) => shelf.files.clear(),
      "cannot download",
    ],
  ];

/** The archive of this machine. */
function archiveHere(): string {
  return `amof-${version}-linux-${Deno.build.arch === "x86_64" ? "x64" : "arm64"}.tar.gz`;
}

for (const [what, spoil, message] of REFUSED) {
  Deno.test({
    name: `install.sh refuses ${what}, and leaves what was there`,
    ignore,
    async fn() {
      await using shelf = await Shelf.open();
      await Deno.mkdir(shelf.programs, { recursive: true });
      await Deno.writeTextFile(join(shelf.programs, "amof"), "old");
      spoil(shelf);
      const { code, error } = await shelf.install();
      assertEquals(code, 1);
      assertStringIncludes(error, `error: ${message}`);
      assertEquals(await shelf.installed(), ["amof"]);
      assertEquals(await Deno.readTextFile(join(shelf.programs, "amof")), "old");
    },
  });
}

Deno.test({
  name: "install.sh takes minisign where it is, for what is good and for what is not",
  ignore: ignore || !isInstalled("minisign"),
  async fn() {
    await using shelf = await Shelf.open();
    const tools = ["minisign", "sha256sum"];
    assertEquals((await shelf.install({ tools })).code, 0);
    shelf.sign(shelf.sums, undefined, signingKey());
    assertStringIncludes((await shelf.install({ tools })).error, `the signature of ${SUMS} is not`);
  },
});

Deno.test({
  name: "install.sh leaves what was there when the new program does not start",
  ignore,
  async fn() {
    await using shelf = await Shelf.open("#!/bin/sh\nexit 1\n");
    await Deno.mkdir(shelf.programs, { recursive: true });
    await Deno.writeTextFile(join(shelf.programs, "amof"), "old");
    const { code, error } = await shelf.install();
    assertEquals(code, 1);
    assertStringIncludes(error, "error: the program does not start on this system\nhint: ");
    assertEquals(await shelf.installed(), ["amof"]);
    assertEquals(await Deno.readTextFile(join(shelf.programs, "amof")), "old");
  },
});

Deno.test({
  name: "install.sh refuses where nothing can verify a signature, and half of it does nothing",
  ignore,
  async fn() {
    await using shelf = await Shelf.open();
    const { code, error } = await shelf.install({ tools: ["sha256sum"] });
    assertEquals(code, 1);
    assertStringIncludes(error, "error: nothing here can verify the signature of the download\n");
    const script = await Deno.readTextFile(shelf.script);
    await Deno.writeTextFile(shelf.script, script.slice(0, -12));
    await shelf.install();
    assertEquals(await shelf.installed(), []);
  },
});

Deno.test({
  name: "shellcheck finds nothing to say of install.sh",
  ignore: !isInstalled("shellcheck"),
  async fn() {
    const script = new URL("../../.github/packaging/install.sh", import.meta.url).pathname;
    assertEquals(await run("shellcheck", [script]), "");
  },
});

Deno.test("install.sh is not made with something that is no key", async () => {
  const made = await installScript(signingKey().publicKey);
  assert(!made.includes("@PUBLIC_KEY@"));
  const problem = await installScript("untrusted comment: none\n").catch((error) => error);
  assertEquals(problem.message, "That is no public key of minisign");
});
