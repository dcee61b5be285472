/**
 * An empty bare repository of ours as the files it begins with: no process makes it, and no template and no setting of
 * the user's has a part in it.
 */

/** A text as a value of a git configuration file. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

/**
 * The content of a scratch directory (`Files.scratch`) that has such a repository below `name`, for names of objects as
 * long as `like`. With `origin` it can be fetched from and pushed to.
 */
export function privateFiles(
  name: string,
  { like, origin }: { readonly like: string; readonly origin?: string },
): Readonly<Record<string, string>> {
  const sha256 = like.length === 64;
  const config = [
    "[core]",
    `\trepositoryformatversion = ${sha256 ? 1 : 0}`,
    "\tbare = true",
    // It goes again before anybody could look for what was in it.
    "\tfsync = none",
    // Whoever tidies up in the background would find it gone.
    "[maintenance]",
    "\tauto = false",
    ...(sha256 ? ["[extensions]", "\tobjectFormat = sha256"] : []),
    ...(origin === undefined ? [] : ['[remote "origin"]', `\turl = ${quoted(origin)}`]),
    "",
  ].join("\n");
  return {
    [`${name}/HEAD`]: "ref: refs/heads/none\n",
    [`${name}/config`]: config,
    [`${name}/objects/info/`]: "",
    [`${name}/refs/`]: "",
  };
}
