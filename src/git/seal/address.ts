/** Whether two addresses lead to the same repository of the same server. */

/** The server and the path, without who asks and how, where both ways prove which server it is; else the text itself. */
function target(address: string): string {
  const scp = /^(?:[^@/:]+@)?([A-Za-z0-9.-]+):(?!\/\/)\/?(.+)$/.exec(address);
  const web = /^(?:https|ssh|git\+ssh):\/\/(?:[^@/]*@)?([^/]+)\/(.+)$/i.exec(address);
  const plain = /^(http):\/\/(?:[^@/]*@)?([^/]+\/.+)$/i.exec(address);
  if (plain !== null) return `http ${plain[2]}`;
  // A letter before the colon is a drive.
  const match = web ?? (/^[A-Za-z]:/.test(address) ? null : scp);
  if (match === null) return address;
  const [, host = "", path = ""] = match;
  return `${host.toLowerCase()} ${path.replace(/\/+$/, "").replace(/\.git$/, "")}`;
}

/** Whether two addresses lead to the same repository of the same server, whoever asks, over https or ssh. */
export function isSameRepository(one: string, other: string): boolean {
  return target(one) === target(other);
}
