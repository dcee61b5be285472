/** What is known of each program without loading it. Written by `deno task golden` out of the declarations. */

// deno-fmt-ignore-file -- a line each: this is data
import type { KnownProgram } from "../../../pipeline/line/program.ts";

/**
 * What is known of every program, in the order of help. As a text: the engine takes several times as long for objects in
 * code, and every start needs these.
 */
export const PROGRAM_FACTS: readonly KnownProgram[] = JSON.parse(`[
{"kind":"program","path":["open"],"summary":"Open a repository in your editor, its web page, or its directory."},
{"kind":"program","path":["approve"],"summary":"Show what a waiting request would do now and, once you agree, let it happen."},
{"kind":"program","path":["deny"],"summary":"Refuse a waiting request; nothing is changed."},
{"kind":"program","path":["server","open"],"summary":"Sign in to the server's pages, in the browser."},
{"kind":"program","path":["audit","export"],"summary":"Print the audit log as lines of JSON with their hashes, oldest first."},
{"kind":"program","path":["agentpack"],"summary":"Plan, deploy, roll back and evolve the agents' own assets.","group":"Agents","delegates":true},
{"kind":"program","path":["mcp","serve"],"summary":"Serve the commands as MCP tools over standard input and output."},
{"kind":"program","path":["mcp","start"],"summary":"Serve the commands as MCP tools over standard input and output.","hidden":true},
{"kind":"program","path":["serve"],"summary":"Serve MCP tools over standard input and output, as mcp serve does."},
{"kind":"program","path":["mcp","tools"],"summary":"List the tools that a server with the same flags offers."},
{"kind":"program","path":["mcp","config"],"summary":"Print what to write into an AI host's configuration."},
{"kind":"program","path":["config","list"],"summary":"List the settings: what applies, and who says so."},
{"kind":"program","path":["config","get"],"summary":"Print what applies for one setting; nothing where nobody set it."},
{"kind":"program","path":["config","set"],"summary":"Change one setting in the user file; comments and order stay."},
{"kind":"program","path":["config","unset"],"summary":"Take one setting out of the user file; what applies otherwise counts then."},
{"kind":"program","path":["config","edit"],"summary":"Open the user file in your editor, and check what you wrote."},
{"kind":"program","path":["config","path"],"summary":"Print where the user file is, or would be."},
{"kind":"program","path":["upgrade"],"summary":"Tell whether there is a newer version and how to get it; nothing is upgraded."},
{"kind":"program","path":["demo"],"summary":"See the main job in a sandbox: clones, a ticket, commit, push, merge, undo, an agent."},
{"kind":"program","path":["schema"],"summary":"Print a JSON Schema: of a file that people write, of an answer, or of the input of a tool."},
{"kind":"program","path":["completions"],"summary":"Print the script that completes command lines in a shell."},
{"kind":"program","path":["shell-init"],"summary":"Print what gives a shell completion and acd, which goes to a repository."},
{"kind":"program","path":["complete"],"summary":"Answer the candidates for a command line; called by completion scripts.","hidden":true},
{"kind":"program","path":["run-worker"],"summary":"Work on a run; started by the program itself.","hidden":true},
{"kind":"program","path":["shard","run"],"summary":"Work on one shard of a plan; started by an engine.","hidden":true},
{"kind":"program","path":["server-probe"],"summary":"Look at an address of this machine; started by the program itself.","hidden":true},
{"kind":"program","path":["server-worker"],"summary":"Be the server of a control repository; started by the program itself.","hidden":true}
]`);
