/**
 * A rule for `deno lint`: functions take at most four parameters. What takes more takes one object with named members.
 *
 * @module
 */

const MOST = 4;

/** Where the checkout lies: any directory above it may be called `src`, too. */
const ROOT = (import.meta.dirname ?? "").replace(/[\\/]tests[\\/]lint$/, "");

type Signature =
  | Deno.lint.FunctionDeclaration
  | Deno.lint.FunctionExpression
  | Deno.lint.ArrowFunctionExpression
  | Deno.lint.TSFunctionType
  | Deno.lint.TSMethodSignature
  | Deno.lint.TSDeclareFunction;

export default {
  name: "amof",
  rules: {
    "max-params": {
      create(context) {
        const isOurs = context.filename.startsWith(ROOT) &&
          /^[\\/]src[\\/]/.test(context.filename.slice(ROOT.length));
        const check = (node: Signature) => {
          if (node.params.length <= MOST || !isOurs) return;
          context.report({
            node,
            message: `${node.params.length} parameters, and at most ${MOST} are read easily`,
            hint: "Take one object with named members, or an object that belongs together anyway",
          });
        };
        return {
          FunctionDeclaration: check,
          FunctionExpression: check,
          ArrowFunctionExpression: check,
          TSFunctionType: check,
          TSMethodSignature: check,
          TSDeclareFunction: check,
        };
      },
    },
  },
} satisfies Deno.lint.Plugin;
