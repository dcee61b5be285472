// Laws of installations in AI hosts: of a file that somebody wrote every byte stays, and no value of it is shown.

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { cases } from "../support/sample.ts";
import {
  backupPath,
  entryOf,
  factsOf,
  type Host,
  HOSTS,
  planChange,
  readAs,
  readHostFile,
  type Server,
  SERVERS,
  writeChange,
} from "../../src/machine/hosts/mod.ts";
import type { Files } from "../../src/base/system/mod.ts";
import { memoryWorld } from "../support/memory.ts";

const PATH = "/home/file";
const SECRET = "s3cr3t";

/** JSON that somebody wrote by hand; comments only where the host takes them. */
function jsonFile(host: Host): fc.Arbitrary<string> {
  const { syntax, table } = factsOf(host).file;
  const note = syntax === "jsonc" ? fc.constantFrom("", ` // ${SECRET}`) : fc.constant("");
  return fc.record({
    mark: fc.constantFrom("", "\ufeff"),
    eol: fc.constantFrom("\n", "\r\n"),
    indent: fc.constantFrom("", "  ", "    ", "\t"),
    before: fc.constantFrom("", `"theme": "${SECRET}",\n`, '"list": [1,\n2],\n'),
    others: fc.subarray([
      `"one": { "command": "x", "env": { "TOKEN": "${SECRET}" } }`,
      `"two":   {"url":"https://example.com/?k=${SECRET}", "n": 1.50}`,
      `"three": {\n"command": "${SECRET}"\n}`,
    ]),
    behind: fc.constantFrom("", ',\n"last": null', `,\n"last": {"a": ["${SECRET}"]}`),
    has: fc.boolean(),
    note,
    end: fc.constantFrom("", "\n"),
  }).map(({ mark, eol, indent, before, others, behind, has, note, end }) => {
    const inside = others.length === 0 ? "{}" : `{\n${others.join(",\n")}${note}\n}`;
    const body = has ? `${before}"${table}": ${inside}${behind}` : `${before}"zed": 1${note}`;
    return `${mark}{\n${body}\n}${end}`.replaceAll("\n", `${eol}${indent}`);
  });
}

const tomlFile = fc.record({
  mark: fc.constantFrom("", "\ufeff"),
  eol: fc.constantFrom("\n", "\r\n"),
  parts: fc.subarray([
    `# ${SECRET}\nmodel = "${SECRET}" # mine\n`,
    `[mcp_servers.one]\ncommand = "x"\n\n[mcp_servers.one.env]\nA = "${SECRET}"\n`,
    `[other]\nlist = [\n  "${SECRET}", # one\n]\ntext = """\n${SECRET}\n"""\n`,
    `[mcp_servers."two three"]\nurl = "https://${SECRET}"\n# trailing ${SECRET}\n`,
  ]),
  end: fc.constantFrom("", "# the end", "\n\n"),
}).map(({ mark, eol, parts, end }) => `${mark}${parts.join("\n")}${end}`.replaceAll("\n", eol));

const yamlFile = fc.record({
  mark: fc.constantFrom("", "\ufeff"),
  eol: fc.constantFrom("\n", "\r\n"),
  parts: fc.subarray([
    `# ${SECRET}\nname: ${SECRET} # ${SECRET}\n`,
    `models:\n  - name: one\n    apiKey: "${SECRET}"\n`,
    `note: |\n  ${SECRET}\n  # ${SECRET}\nrules: [${SECRET}]\n`,
  ]),
  list: fc.constantFrom(
    "",
    `mcpServers: []\n`,
    `mcpServers:\n# ${SECRET}\n- name: one\n  command: ${SECRET}\n`,
    `mcpServers:\n  # ${SECRET}\n  - uses: me/one\n\n  - name: two\n    env:\n      A: ${SECRET}\n  # ${SECRET}\n`,
    `mcpServers: [{ name: one, command: ${SECRET} }]\n`,
  ),
  end: fc.constantFrom("", `# ${SECRET}`, `last:\n  - ${SECRET}\n`),
}).map(({ mark, eol, parts, list, end }) =>
  `${mark}${parts.join("")}${list}${end}`.replaceAll("\n", eol)
);

const start = (words: readonly string[], flags: readonly string[] | null = null) => ({
  words,
  root: "/control",
  flags,
});

/** Installs or removes servers in a file of memory; answers what was shown. */
async function change(
  files: Files,
  host: Host,
  servers: readonly Server[],
  how: ReturnType<typeof start> | null,
): Promise<string> {
  const shared = factsOf(host).file;
  const file = await readHostFile({ files }, PATH, shared);
  const changes = new Map(servers.map((server) =>
    [
      server,
      how === null ? undefined : entryOf(host, server, how, file.table.entries.get(server)),
    ] as const
  ));
  const planned = await planChange({ files }, file, { shared, ours: SERVERS, changes });
  await writeChange({ files }, planned);
  return planned.diff;
}

const steps = fc.array(
  fc.record({
    servers: fc.subarray([...SERVERS], { minLength: 1 }),
    words: fc.constantFrom(["/usr/bin/amof"], ["npx", "-y", "amof@1.0.0"]),
    flags: fc.constantFrom(null, ["--read-only"], ["--max-mode", "plan"]),
  }),
  { minLength: 1, maxLength: 3 },
);

for (const host of HOSTS) {
  const { syntax } = factsOf(host).file;
  const text = syntax === "toml" ? tomlFile : syntax === "yaml" ? yamlFile : jsonFile(host);

  Deno.test(`installing in ${host} and removing again changes no byte, and shows nobody's values`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.option(text), steps, async (before, installs) => {
        const { system: { files }, files: all } = memoryWorld({
          files: before === null ? {} : { [PATH]: before },
        });
        const shown: string[] = [];
        for (const { servers, words, flags } of installs) {
          shown.push(await change(files, host, servers, start(words, flags)));
          const { table } = await readHostFile({ files }, PATH, factsOf(host).file);
          for (const server of servers) {
            assertEquals(readAs(host, table.entries.get(server))["command"], words[0]);
          }
        }
        const once = all.get(PATH);
        const [last] = installs.slice(-1);
        if (last !== undefined) {
          assertEquals(await change(files, host, last.servers, start(last.words, last.flags)), "");
          assertEquals(all.get(PATH), once);
        }
        const installed = new Set(installs.flatMap(({ servers }) => servers));
        for (const server of installed) {
          shown.push(await change(files, host, [server], null));
        }
        assertEquals(all.get(PATH), before ?? undefined);
        assertEquals(all.has(backupPath(PATH)), false);
        assert(!shown.join("\n").includes(SECRET), shown.join("\n"));
      }),
      { numRuns: cases(60, 20) },
    );
  });
}
