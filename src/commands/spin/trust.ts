/**
 * `amof spin trust`: a person approves the contents of a provisioner on this machine, or takes it back (SPIN-4).
 *
 * It exists only on the command line. Whoever comes in over MCP may deploy what a person has approved, and can
 * approve nothing.
 */

import { basename, dirname, join } from "@std/path";
import { loadManifest } from "../../workspace/manifest/mod.ts";
import { AmofError } from "../../base/error.ts";
import { isSame } from "../../base/policy/consent.ts";
import { type CommandContext, mutation, type Preview, type Result } from "../../contract/mod.ts";
import { blocks } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { keyValues, table } from "../../base/text/table.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { type ProvisionerFile, readProvisioner, requireProvisioner } from "./provisioner.ts";

const MOST_SHOWN = 20;

interface TrustFacts {
  readonly provisioner: string;
  readonly script: string | null;
  /** Of all files; null when an approval is taken back. */
  readonly hash: string | null;
  readonly files: readonly ProvisionerFile[];
  /** How many contents of it are approved already. */
  readonly approvals: number;
}

interface TrustData {
  readonly provisioner: string;
  readonly hash: string | null;
  readonly approved: boolean;
  /** How many approvals were taken back. */
  readonly revoked: number;
}

async function previewApproval(
  ctx: CommandContext,
  name: string,
  expected: string | undefined,
): Promise<Preview<TrustFacts, TrustData>> {
  const { provisioner } = await readProvisioner(ctx, name);
  const { script, hash, files } = provisioner;
  if (expected !== undefined && !isSame(expected.toLowerCase(), hash)) {
    throw new AmofError(
      "provisioner_untrusted",
      `Cannot approve ${script}: its hash is ${hash}, not the one that was named`,
      { hint: `Read it again: ${script}`, details: { provisioner: name, script, hash } },
    );
  }
  const { trust } = await ctx.store();
  const approvals = trust.count(ctx.root, name);
  const approved = trust.find(ctx.root, name, hash) !== null;
  return {
    facts: { provisioner: name, script, hash, files, approvals },
    summary: `Would approve provisioner ${name} to run on this machine.`,
    effects: [`Approve ${count(files.length, "file")} of ${name} with hash ${hash}`],
    details: blocks(
      keyValues([
        ["Script", join(ctx.root, script)],
        ["Hash", hash],
        ["Approved before", approvals === 0 ? "never" : count(approvals, "other version")],
      ]),
      table(
        ["file", "sha256"],
        files.slice(0, MOST_SHOWN).map((file) => [cleanLine(file.path), file.sha256]),
      ),
      files.length > MOST_SHOWN ? `… and ${files.length - MOST_SHOWN} more` : null,
      "Read these files before you approve them: they run with your rights.",
      ...(approvals === 0 ? [] : changesOf(provisioner.directory)),
    ),
    current: approved ? "It is approved" : "It is not approved",
    alternatives: [`Read it first: ${script}`],
    ...(approved
      ? { settled: { data: { provisioner: name, hash, approved: true, revoked: 0 } } }
      : expected === undefined && !ctx.system.terminal.stdinIsTerminal
      ? { settled: unseen(name, hash) }
      : {}),
  };
}

/** How a person sees what changed in a directory, whether it is committed or not. */
function changesOf(directory: string): string[] {
  const git = `git -C ${shellWord(dirname(directory))}`;
  const of = `-- ${shellWord(basename(directory))}`;
  return [
    `See what changed and is not committed: ${git} diff HEAD ${of}`,
    `See what was committed: ${git} log -p ${of}`,
  ];
}

/** The answer where nobody can have read what would be approved: no consent and no token makes up for that. */
function unseen(name: string, hash: string): Result<TrustData> {
  return {
    data: { provisioner: name, hash, approved: false, revoked: 0 },
    failure: new AmofError(
      "provisioner_untrusted",
      `Cannot approve ${name}: nobody at a terminal has seen what would be approved`,
      {
        hint:
          "Do it in a terminal\nName the hash of what you have read: amof spin trust --hash HEX --yes",
        details: { provisioner: name },
      },
    ),
  };
}

async function previewRevocation(
  ctx: CommandContext,
  name: string,
): Promise<Preview<TrustFacts, TrustData>> {
  const approvals = (await ctx.store()).trust.count(ctx.root, name);
  return {
    facts: { provisioner: name, script: null, hash: null, files: [], approvals },
    summary: `Would take back ${count(approvals, "approval")} of provisioner ${name}.`,
    effects: [`Forget ${count(approvals, "approval")} of ${name}`],
    current: `${count(approvals, "version")} of it ${approvals === 1 ? "is" : "are"} approved`,
    alternatives: ["Leave it: an approval covers only the contents it was given for"],
    ...(approvals === 0
      ? { settled: { data: { provisioner: name, hash: null, approved: false, revoked: 0 } } }
      : {}),
  };
}

/** The command. */
export const spinTrust = mutation({
  name: "amof_spin_trust",
  path: ["spin", "trust"],
  toolset: "spin",
  scope: "ecosystem",
  mcp: "never",
  next: ["spin_status"],
  title: "Approve provisioner",
  summary: "Approve what the provisioner of an ecosystem runs on this machine.",
  description:
    "An approval covers exactly the present contents of the provisioner's directory, without what git ignores. A person gives it in a terminal; over MCP it does not exist. Without a terminal, as in CI, --hash must say what was read.",
  safety: "dangerous-write",
  confirm: "preview",
  asks: { deed: "approval", will: "let the provisioner run on this machine" },
  idempotent: true,
  examples: ["spin trust", "-e shop spin trust --revoke"],
  input: (z) => ({
    hash: z.string().regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits").optional()
      .describe("Approve only if the hash is this one"),
    revoke: z.boolean().default(false).describe("Take back every approval of the provisioner"),
  }),
  async preview(ctx, input) {
    const manifest = await loadManifest(ctx.system, ctx.root, ctx.ecosystem);
    const name = await requireProvisioner(ctx, manifest);
    return input.revoke
      ? await previewRevocation(ctx, name)
      : await previewApproval(ctx, name, input.hash);
  },
  execute(ctx, _input, { provisioner, hash }) {
    if (hash === null) {
      const revoked = ctx.records.trust.revoke(ctx.root, provisioner);
      return Promise.resolve({ data: { provisioner, hash, approved: false, revoked } });
    }
    // The hash of the preview is approved, not that of the files as they are now.
    ctx.records.trust.approve(ctx.root, provisioner, {
      hash,
      approvedAt: ctx.system.clock.now(),
      approvedBy: ctx.caller.name,
    });
    return Promise.resolve({ data: { provisioner, hash, approved: true, revoked: 0 } });
  },
  render({ provisioner, hash, approved, revoked }) {
    return approved
      ? {
        summary: `Approved provisioner ${provisioner} on this machine.`,
        details: keyValues([["Hash", hash]]),
      }
      : {
        summary: revoked === 0
          ? `Found no approval of provisioner ${provisioner}.`
          : `Took back ${count(revoked, "approval")} of provisioner ${provisioner}.`,
      };
  },
});
