/** What pages load besides themselves. */

import script from "./client.js" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import style from "./style.css" with { type: "text" };

/** A file that a page loads. */
interface Asset {
  readonly type: string;
  readonly text: string;
}

/** Every asset by its path. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ["/assets/style.css", { type: "text/css; charset=utf-8", text: style }],
  ["/assets/client.js", { type: "text/javascript; charset=utf-8", text: script }],
  ["/assets/icon.svg", { type: "image/svg+xml", text: icon }],
]);
