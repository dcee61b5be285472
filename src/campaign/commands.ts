/**
 * The commands of this room, for the registry alone: they are loaded together, when one of them is called.
 *
 * @module
 */

export { approveCampaign } from "./approve.ts";
export { closeCampaign } from "./close.ts";
export { pushCampaign } from "./push.ts";
export { showCampaign } from "./show.ts";
export { startCampaign } from "./start.ts";
export { campaignStatus } from "./status.ts";
export { updateCampaign } from "./update.ts";
