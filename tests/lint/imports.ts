/**
 * A rule for `deno lint`: names of one module are imported in one statement, so that a reader sees all of them at once.
 *
 * @module
 */

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
  },
} satisfies Deno.lint.Plugin;
