/**
 * Rules for `deno lint`: names of one module are imported in one statement, so that a reader sees all of them at once; and
 * no module of the program waits while it is loaded. Two parts of it may ask for such a module at the same time, and the
 * runtime hands it to the second one before its constants have values.
 *
 * @module
 */

/** Where the checkout lies: any directory above it may be called `src`, too. */
const ROOT = (import.meta.dirname ?? "").replace(/[\\/]tests[\\/]lint$/, "");

/** Whether a node is run while its module is loaded. */
function isOfModule(node: Deno.lint.Node): boolean {
  for (let at: Deno.lint.Node | undefined = node; at !== undefined && at !== null;) {
    if (/Function(?:Declaration|Expression)$/.test(at.type)) return false;
    at = "parent" in at ? at.parent as Deno.lint.Node : undefined;
  }
  return true;
}

export default {
  name: "imports",
  rules: {
    "one-statement": {
      create(context) {
        const seen = new Set<string>();
        return {
          ImportDeclaration(node: Deno.lint.ImportDeclaration) {
            if (!node.specifiers.every(({ type }) => type === "ImportSpecifier")) return;
            const module = node.source.value;
            if (seen.has(module)) {
              context.report({
                node,
                message: `"${module}" is imported above already`,
                hint: "Name everything in one statement; a type as { type Name }",
              });
            }
            seen.add(module);
          },
        };
      },
    },
    "no-wait": {
      create(context) {
        const isOurs = context.filename.startsWith(ROOT) &&
          /^[\\/]src[\\/]/.test(context.filename.slice(ROOT.length));
        const check = (node: Deno.lint.AwaitExpression | Deno.lint.ForOfStatement) => {
          if (!isOurs || !isOfModule(node)) return;
          context.report({
            node,
            message: "Whoever loads this module may get it before this has ended",
            hint: "Make it when it is first asked for, and keep the promise",
          });
        };
        return {
          AwaitExpression: check,
          ForOfStatement: (node) => node.await ? check(node) : undefined,
        };
      },
    },
  },
} satisfies Deno.lint.Plugin;
