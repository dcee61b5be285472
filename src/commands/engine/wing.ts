/** Programs of the user in many repositories, here and on engines, as the core knows them. */

import { layoutOf } from "../../base/system/layout.ts";
import type { Wing } from "../../runs/mod.ts";

/** Programs in repositories: exec, tasks, campaigns, agents, and the engines that they run on. */
export const EXEC: Wing = {
  commands: {
    amof_exec: async () => (await import("../exec/exec.ts")).exec,
    amof_start_campaign: async () => (await import("../campaign/start.ts")).startCampaign,
    amof_show_campaign: async () => (await import("../campaign/show.ts")).showCampaign,
    amof_approve_campaign: async () => (await import("../campaign/approve.ts")).approveCampaign,
    amof_push_campaign: async () => (await import("../campaign/push.ts")).pushCampaign,
    amof_get_campaign_status: async () => (await import("../campaign/status.ts")).campaignStatus,
    amof_update_campaign: async () => (await import("../campaign/update.ts")).updateCampaign,
    amof_close_campaign: async () => (await import("../campaign/close.ts")).closeCampaign,
    amof_agent_run: async () => (await import("../agent/run.ts")).agentRun,
    amof_run_task: async () => (await import("../run.ts")).runTask,
    amof_list_tasks: async () => (await import("../tasks.ts")).listTasks,
    amof_exec_trust: async () => (await import("../exec/trust/trust.ts")).execTrust,
    amof_list_exec_approvals: async () => (await import("../exec/trust/list.ts")).listTrusted,
    amof_agent_stats: async () => (await import("../agent/stats.ts")).agentStats,
    amof_check_engines: async () => (await import("./check.ts")).engineCheck,
  },
  questions: async () => (await import("../../engine/mod.ts")).isEngineQuestion,
  arrays: {
    of: async (at, runId) => await (await import("../../engine/mod.ts")).arrayOf(at, runId),
    end: async (at, run) => await (await import("../../engine/mod.ts")).endLeftArray(at, run),
  },
  values: {
    async campaign({ system, root, ecosystem }) {
      const { campaignsOf } = await import("../campaign/plan.ts");
      const campaigns = campaignsOf({
        system,
        layout: layoutOf(system.env),
        root: await root(),
        ecosystem: await ecosystem(),
      });
      return (await campaigns.list()).map(({ name, state }) => ({ value: name, help: state }));
    },
    async engine({ settings }) {
      const { engineNames } = await import("../../engine/mod.ts");
      return engineNames(settings).map((value) => ({ value, help: "" }));
    },
  },
};
