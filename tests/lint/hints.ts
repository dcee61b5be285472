/**
 * A rule for `deno lint`: a line that gives a command to paste gives one, to its end, so that it can be pasted whole.
 *
 * @module
 */

/** The texts of a literal or template, with `X` for what is filled in. */
function textOf(node: Deno.lint.Literal | Deno.lint.TemplateLiteral): string {
  if (node.type === "TemplateLiteral") {
    return node.quasis.map(({ cooked }) => cooked).join("X");
  }
  return typeof node.value === "string" ? node.value : "";
}

/** What is wrong with a line that says `what: amof …`, or null. */
function problemOf(line: string): string | null {
  if (/(?:;|,| or| and)\s(?:the same command|`?amof [-a-z])/.test(line) && /: /.test(line)) {
    return "Give another command in a line of its own";
  }
  if (/: .*; (?:or|then) [a-z]/.test(line)) return "Give another way in a line of its own";
  if (!/: amof [-a-zX]/.test(line)) return null;
  if ((line.match(/: amof [-a-zX]/g) ?? []).length > 1) {
    return "Give another command in a line of its own";
  }
  return /: amof [^;]*;/.test(line) ? "Let the command end its line" : null;
}

export default {
  name: "hints",
  rules: {
    "one-command": {
      create(context) {
        // Tests repeat what people and other programs write.
        if (!/[\\/]src[\\/]/.test(context.filename)) return {};
        const look = (node: Deno.lint.Literal | Deno.lint.TemplateLiteral) => {
          const problem = textOf(node).split("\n").map(problemOf).find((found) => found !== null);
          if (typeof problem === "string") context.report({ node, message: problem });
        };
        const lookAtAdvice = (node: Deno.lint.Property) => {
          const { key, value } = node;
          const name = key.type === "Identifier" ? key.name : "";
          if (name !== "hint" && name !== "fix") return;
          if (value.type !== "Literal" && value.type !== "TemplateLiteral") return;
          // What is quoted is for a shell.
          if (!textOf(value).replaceAll(/'[^']*'|"[^"]*"/g, "").includes("; ")) return;
          context.report({ node: value, message: "Give another way in a line of its own" });
        };
        return { Literal: look, TemplateLiteral: look, Property: lookAtAdvice };
      },
    },
  },
} satisfies Deno.lint.Plugin;
