/** `amof campaign approve`: a person says which shapes of commits may be pushed (CAMP-6). */

import { mutation, type Result } from "../../contract/mod.ts";
import { AmofError } from "../../base/error.ts";
import { timestamp } from "../../base/system/mod.ts";
import type { Details } from "../../base/text/parts.ts";
import { cleanLine } from "../../base/text/sanitize.ts";
import { count, shellWord } from "../../base/text/words.ts";
import { CAMPAIGN, campaignInput } from "./declare.ts";
import { campaignsOf } from "./plan.ts";
import { chosenShapes, exampleLines, shapesOf, type ShapeView } from "./view.ts";

/** How many lines of an example a preview shows. */
const LINES = 30;

/** What nobody sees who looks at one example. */
const ANYWHERE =
  "Directories do not count: a commit may change files of these names anywhere in its repo";

interface ApproveFacts {
  readonly campaign: string;
  /** What an approval is bound to, with the repositories that have it now. */
  readonly shapes: readonly Pick<ShapeView, "id" | "hash" | "repos">[];
}

interface ApproveData {
  readonly campaign: string;
  /** The ids of those that are approved by this call. */
  readonly approved: readonly string[];
  /** The repositories whose commits may be pushed because of it. */
  readonly repos: readonly string[];
}

function describe(shape: ShapeView): Details {
  const { id, repos, added, removed } = shape;
  const lines = shape.lines.slice(0, LINES);
  return [
    `${id}  ${count(repos.length, "repo")}, +${added} -${removed}${
      shape.outlier ? ", an outlier" : ""
    }: ${cleanLine(repos.join(", "), 120)}`,
    ...[exampleLines({ lines, more: shape.more + shape.lines.length - lines.length })].flat(),
  ];
}

/** `amof campaign approve`. */
export const approveCampaign = mutation({
  ...CAMPAIGN,
  name: "amof_approve_campaign",
  path: ["campaign", "approve"],
  safety: "dangerous-write",
  confirm: "simple",
  asks: { deed: "approval", will: "let commits of these shapes be pushed", verb: "approve" },
  idempotent: true,
  title: "Approve shapes",
  summary: "Approve shapes of the commits of a campaign, so that they may be pushed.",
  description:
    "An approval is bound to the hash of the shape: a commit that changes anything else has another one and is not covered, also after campaign update.",
  flags: { shapes: "shape" },
  examples: ["campaign approve go-1.24 --shape 4e8c1d7a03b2", "campaign approve go-1.24 --all"],
  input: (z) => ({
    ...campaignInput(z),
    shapes: z.array(z.string().min(4)).optional().describe("A shape, by its id"),
    all: z.boolean().default(false).describe("All shapes there are now"),
  }),
  async preview(ctx, { campaign: name, shapes: ids = [], all }) {
    if (all === ids.length > 0) {
      throw new AmofError(
        "invalid_arguments",
        all
          ? "Cannot use --all together with --shape"
          : "Cannot approve nothing: no shape was named",
        {
          hint: [
            ...(all ? [] : [`See the shapes there are: amof campaign show ${shellWord(name)}`]),
            `Approve all of them: amof campaign approve ${shellWord(name)} --all`,
          ].join("\n"),
          details: { field: "shapes" },
        },
      );
    }
    const campaigns = campaignsOf(ctx);
    const campaign = await campaigns.open(name);
    const rows = [...(await campaigns.rows(name)).values()];
    const there = await shapesOf(ctx.system.files, campaigns, campaign, rows);
    const wanted = (all ? there : chosenShapes(name, there, ids)).filter(({ approved }) =>
      !approved
    );
    const facts: ApproveFacts = {
      campaign: campaign.name,
      shapes: wanted.map(({ id, hash, repos }) => ({ id, hash, repos })),
    };
    const repos = wanted.reduce((sum, shape) => sum + shape.repos.length, 0);
    return {
      facts,
      subject: { name: `${count(wanted.length, "shape")} of campaign ${campaign.name}` },
      summary: `Would approve ${count(wanted.length, "shape")} of ${cleanLine(name, 30)}.`,
      effects: [
        ...wanted.map(({ id, repos }) => `Approve shape ${id} of ${count(repos.length, "repo")}`),
        ...(wanted.length === 0 ? [] : [ANYWHERE]),
      ],
      details: [
        ...(wanted.length === 0 ? [] : [`⚠ ${ANYWHERE}`]),
        ...wanted.flatMap((shape) => [describe(shape)].flat()),
      ],
      current: `${count(wanted.length, "shape")} of ${count(repos, "commit")} not approved yet`,
      alternatives: [
        ...wanted.slice(0, 1).map(({ id }) =>
          `Look at it: amof campaign show ${name} --shape ${id}`
        ),
      ],
      ...(wanted.length === 0
        ? { settled: { data: { campaign: campaign.name, approved: [], repos: [] } } }
        : {}),
    };
  },
  async execute(
    ctx,
    _input,
    { campaign: name, shapes }: ApproveFacts,
  ): Promise<Result<ApproveData>> {
    const campaigns = campaignsOf(ctx);
    await campaigns.alone(name, async () => {
      const campaign = await campaigns.open(name);
      const at = timestamp(ctx.system.clock.now());
      const more = shapes.map(({ hash }) => ({ shape: hash, at, by: ctx.caller.name }));
      await campaigns.put({ ...campaign, approved: [...campaign.approved, ...more] });
    });
    const repos = shapes.flatMap((shape) => shape.repos).toSorted();
    return { data: { campaign: name, approved: shapes.map(({ id }) => id), repos } };
  },
  render: ({ campaign, approved, repos }: ApproveData) => ({
    summary: approved.length === 0
      ? `Approved nothing: no shape of ${cleanLine(campaign, 30)} is left.`
      : `Approved ${count(approved.length, "shape")} of ${count(repos.length, "repo")}.`,
  }),
});
