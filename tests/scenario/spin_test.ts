/**
 * `amof spin`: what runs, with what, who may approve it, and which provisioners are refused.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { join } from "@std/path";
import { pick, rows } from "../support/answers.ts";
import {
  approve,
  environment,
  PROVISIONER,
  worldWithProvisioner,
  writeScript,
} from "../support/provisioner.ts";
import { Typist } from "../support/terminal.ts";
import { World } from "../support/world.ts";

const ignore = Deno.build.os === "windows"; // shell scripts and signals
const SECRET = "s3cr3t/with+signs";
const SCRIPT = `provisioners/${PROVISIONER}/spin.sh`;

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore, fn });
}

test("amof spin deploy runs the approved script with little around it, and keeps record", async () => {
  await using world = await worldWithProvisioner(
    [
      'echo "$0" > "$AMOF_STATE_DIR/zero"; pwd > "$AMOF_STATE_DIR/pwd"; echo "$*" > "$AMOF_STATE_DIR/args"',
      'cat "$(dirname "$0")/lib/data.txt"; env | sed "s/=.*//" | sort | tr "\\n" " " > "$AMOF_STATE_DIR/names"',
      'echo "the password is $DB_PASSWORD"; echo "$DB_PASSWORD" | base64 >&2; echo "$AMOF_STATE_DIR" > "$AMOF_ROOT/../where"',
    ].join("\n"),
    "provisioner_env: [DB_PASSWORD, NOT_SET]\n",
  );
  await world.write(`control/provisioners/${PROVISIONER}/lib/data.txt`, "from beside\n");
  const hash = await approve(world);
  const env = { DB_PASSWORD: SECRET, UNRELATED_TOKEN: "unrelated-value", AMOF_ACTION: "forged" };

  const planned = await world.amof(["spin", "deploy", "--dry-run", "--json"], { env });
  const preview = pick(planned.json(), "preview");
  assertEquals(pick(preview, "provisioner"), PROVISIONER);
  assertEquals(pick(preview, "script"), SCRIPT);
  assertEquals(pick(preview, "hash"), hash);
  assertEquals(pick(preview, "files"), 2);
  assertEquals(pick(preview, "approved"), true);
  assertEquals(pick(preview, "argument"), join(world.control, "ecosystems", "demo"));
  assertEquals(pick(preview, "environment", "missing"), ["NOT_SET"]);
  assertEquals(pick(preview, "estimated_seconds"), null);
  assertEquals(pick(preview, "execute_hint"), "amof spin deploy");
  const passed = pick(preview, "environment", "passed") as string[];
  assert(passed.includes("DB_PASSWORD") && !passed.includes("UNRELATED_TOKEN"));

  const ran = await world.amof(["spin", "deploy", "--yes", "--verbose"], { env });
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stderr, "from beside");
  assertStringIncludes(ran.stderr, "the password is ***");
  const where = (await Deno.readTextFile(join(world.directory, "where"))).trim();
  const noted = async (name: string) => (await Deno.readTextFile(join(where, name))).trim();
  assertEquals(await noted("pwd"), world.control);
  assertEquals(await noted("args"), `deploy ${join(world.control, "ecosystems", "demo")}`);
  // The copy was removed, and the script ran from it.
  assertMatch(await noted("zero"), new RegExp(`/[0-9a-f-]{36}/${SCRIPT}$`));
  assertEquals(await world.exists(await noted("zero")), false);
  assertEquals(((await Deno.stat(where)).mode ?? 0) & 0o777, 0o700);
  const names = (await noted("names")).split(" ").filter((name) =>
    !/^(?:_|PWD|SHLVL|OLDPWD)$/.test(name)
  );
  assertEquals(
    names,
    [
      ...passed,
      ...["ACTION", "DRY_RUN", "ECOSYSTEM", "ECOSYSTEM_DIR", "PROVISIONER_DIR", "ROOT", "RUN_ID"]
        .map((name) => `AMOF_${name}`),
      "AMOF_STATE_DIR",
    ].sort(),
  );

  const after = await world.amof(["spin", "status", "--json"]);
  assertEquals(pick(after.json(), "environment", "state"), "deployed");
  assertMatch((await world.amof(["spin", "status"])).stdout, /^Since: +just now$/m);
  const again = await world.amof(["spin", "deploy", "--dry-run"], { env });
  assertMatch(again.stdout, /^ *Now: +The last deploy succeeded$/m);
  await world.install();
  for (const removal of ["archive", "discard"]) {
    const plan = await world.amof([removal, "--dry-run"], { env });
    assertStringIncludes(plan.stdout, "Leave the environment as it is");
  }
  assertEquals(pick(after.json(), "environment", "deployed", "hash"), hash);
  assertEquals(pick(after.json(), "provisioner", "approved"), true);
  assertEquals(typeof pick(after.json(), "estimated_seconds", "deploy"), "number");
  assertEquals(rows(after.json(), "runs").map((run) => [run["action"], run["status"]]), [
    ["spin_deploy", "success"],
  ]);
  // The secret is in nothing that was shown or kept, in no spelling.
  const kept = [planned.stdout, ran.stdout, ran.stderr, after.stdout, await world.contents(where)];
  kept.push(await world.contents(join(world.env["AMOF_HOME"] ?? "", "state")));
  for (const form of [SECRET, btoa(SECRET), encodeURIComponent(SECRET), "unrelated-value"]) {
    for (const text of kept) assertEquals(text.includes(form), false, form);
  }
});

test("amof spin calls k3d with the name, and a script that cannot be executed through bash", async () => {
  await using world = await World.withEcosystem({ repos: [], extra: "provisioner: k3d" });
  await world.write(
    "control/provisioners/k3d/spin.sh",
    'echo "called with [$*]"; [[ -n $BASH ]]\n',
  );
  await approve(world);
  const ran = await world.amof(["spin", "deploy", "--yes", "--verbose"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stderr, "called with [deploy demo]");
});

test("amof spin runs nothing that nobody has approved at a terminal or by its hash", async () => {
  await using world = await worldWithProvisioner('touch "$AMOF_ROOT/ran"');
  const refused = async (args: readonly string[]) => {
    const ran = await world.amof([...args, "--json"]);
    assertEquals(ran.code, 4, ran.stdout);
    assertEquals(pick(ran.json(), "error"), "provisioner_untrusted");
    assertEquals(pick(ran.json(), "confirmation"), undefined);
    assertEquals(await world.exists("control/ran"), false);
    return ran.json();
  };
  const first = await refused(["spin", "deploy", "--yes"]);
  assertMatch(String(first["hint"]), /amof spin trust/);
  assertEquals(pick(first, "details", "changed"), false);
  await refused(["spin", "destroy", "--confirm-name", "demo"]);
  // Consent alone is not enough where nobody has seen what it is about.
  await refused(["spin", "trust", "--yes"]);
  await refused(["spin", "trust"]);
  await refused(["spin", "trust", "--yes", "--hash", "0".repeat(64)]);
  assertEquals((await world.amof(["spin", "trust", "--yes", "--hash", "short"])).code, 2);
  await refused(["spin", "deploy", "--yes"]);

  await approve(world);
  assertEquals((await world.amof(["spin", "deploy", "--yes"])).code, 0);
  assert(await world.exists("control/ran"));
  await Deno.remove(join(world.control, "ran"));

  // Any file of it is part of what was approved.
  await world.write(`control/provisioners/${PROVISIONER}/new.txt`, "new\n");
  const changed = await refused(["spin", "deploy", "--yes"]);
  assertEquals(pick(changed, "details", "changed"), true);
  const looked = await world.amof(["spin", "trust", "--dry-run"]);
  assertMatch(looked.stdout, new RegExp(`git -C \\S+ diff HEAD -- ${PROVISIONER}\n`));
  await Deno.remove(join(world.control, "provisioners", PROVISIONER, "new.txt"));
  await Deno.chmod(join(world.control, SCRIPT), 0o644);
  await refused(["spin", "deploy", "--yes"]);
  await Deno.chmod(join(world.control, SCRIPT), 0o755);
  // What git ignores is not, and is not there when it runs.
  await world.write("control/.gitignore", "*.state\n");
  await world.write(`control/provisioners/${PROVISIONER}/x.state`, "new\n");
  assertEquals((await world.amof(["spin", "deploy", "--dry-run", "--json"])).code, 0);
  assertEquals((await world.amof(["spin", "deploy", "--yes"])).code, 0);
  await Deno.remove(join(world.control, "ran"));

  const revoked = await world.amof(["spin", "trust", "--revoke", "--yes", "--json"]);
  assertEquals(pick(revoked.json(), "revoked"), 1);
  await refused(["spin", "deploy", "--yes"]);
});

test("amof spin deploy at a terminal asks for the approval first, then for the consent", async () => {
  await using world = await worldWithProvisioner('touch "$AMOF_ROOT/ran"');
  const declined = await Typist.start(world, ["spin", "deploy"]);
  await declined.sees("Would approve provisioner here");
  await declined.sees("? [y/N]");
  await declined.types("n\n");
  assertEquals((await declined.ends()).code, 4);
  assertEquals(await world.exists("control/ran"), false);

  // --yes consents to the deploy, not to a script that nobody has read.
  const typist = await Typist.start(world, ["spin", "deploy", "--yes"]);
  await typist.sees("Read these files before you approve them");
  await typist.sees("? [y/N]");
  await typist.types("y\n");
  const end = await typist.ends();
  assertEquals(end.code, 0, end.screen);
  assertStringIncludes(end.stdout, "Deployed demo with here.");
  assert(await world.exists("control/ran"));

  const again = await Typist.start(world, ["spin", "destroy"]);
  await again.sees("Type the ecosystem name to proceed");
  await again.types("demo\n");
  const destroyed = await again.ends();
  assertEquals(destroyed.code, 0, destroyed.screen);
  assertEquals(destroyed.screen.includes("Would approve"), false);
  assertEquals((await environment(world))["state"], "destroyed");
});

test("amof spin refuses every provisioner that is not inside provisioners/", async () => {
  await using world = await World.withEcosystem({ repos: [] });
  await world.script("outside/spin.sh", `touch '${world.directory}/ran'`);
  await world.script("control/spin.sh", `touch '${world.directory}/ran'`);
  await world.script("control/provisioners/good/spin.sh", "true");
  const provisioners = join(world.control, "provisioners");
  const outside = join(world.directory, "outside");
  await Deno.symlink(outside, join(provisioners, "linked"));
  await Deno.symlink(join(world.directory, "nowhere"), join(provisioners, "dangling"));
  await Deno.mkdir(join(provisioners, "script-linked"));
  await Deno.symlink(join(outside, "spin.sh"), join(provisioners, "script-linked", "spin.sh"));
  await world.script("control/provisioners/sibling-linked/spin.sh", "true");
  await Deno.symlink("/etc/hostname", join(provisioners, "sibling-linked", "host"));
  await world.script("control/provisioners/directory-linked/spin.sh", "true");
  await Deno.symlink("../good", join(provisioners, "directory-linked", "good"));
  await world.script("control/provisioners/ignored/spin.sh", "true");
  await world.write("control/.gitignore", "/provisioners/ignored/\n");
  await Deno.mkdir(join(provisioners, "empty"));
  await world.script("control/provisioners/file", "true");
  await Deno.mkdir(join(provisioners, "huge"));
  await world.script("control/provisioners/huge/spin.sh", "true");
  await Deno.writeFile(join(provisioners, "huge", "big"), new Uint8Array(9 * 1024 * 1024));

  const use = (provisioner: string) =>
    world.write(
      "control/ecosystems/demo/ecosystem.yaml",
      `name: demo\nrepos: []\n${provisioner === "" ? "" : `provisioner: ${provisioner}\n`}`,
    );
  const hostile: readonly (readonly [string, string])[] = [
    ["../../outside", "manifest_invalid"],
    ["../outside", "manifest_invalid"],
    ["..", "manifest_invalid"],
    [".", "manifest_invalid"],
    ["good/../../../outside", "manifest_invalid"],
    [outside, "manifest_invalid"],
    ["good/x", "manifest_invalid"],
    ['"good\\\\x"', "manifest_invalid"],
    ['"good\\0x"', "manifest_invalid"],
    ['"good\\n"', "manifest_invalid"],
    ["--version", "manifest_invalid"],
    ["-x", "manifest_invalid"],
    ["~root", "manifest_invalid"],
    ['""', "manifest_invalid"],
    ["[good]", "manifest_invalid"],
    ["linked", "provisioner_invalid"],
    ["script-linked", "provisioner_invalid"],
    ["sibling-linked", "provisioner_invalid"],
    ["directory-linked", "provisioner_invalid"],
    ["ignored", "provisioner_invalid"],
    ["huge", "provisioner_invalid"],
    ["dangling", "provisioner_missing"],
    ["empty", "provisioner_missing"],
    ["absent", "provisioner_missing"],
    ["file", "provisioner_missing"],
    ["", "provisioner_missing"],
  ];
  for (const [provisioner, code] of hostile) {
    await use(provisioner);
    const ran = await world.amof(["spin", "deploy", "--yes", "--json"]);
    assertEquals([pick(ran.json(), "error"), ran.code], [code, 2], `${provisioner}: ${ran.stdout}`);
  }
  // The state of the environment is shown although its provisioner cannot be used.
  await use("linked");
  const status = await world.amof(["spin", "status", "--json"]);
  assertEquals(status.code, 0, status.stdout);
  assertMatch(String(pick(status.json(), "problem")), /leads out of provisioners/);

  await Deno.rename(provisioners, join(world.directory, "moved"));
  await Deno.symlink("../moved", provisioners);
  await use("good");
  const moved = await world.amof(["spin", "trust", "--yes", "--json"]);
  assertEquals(pick(moved.json(), "error"), "provisioner_invalid");
  assertEquals(await world.exists("ran"), false);
});

test("amof spin takes a provisioner of a nested repository, such as a submodule, by its own files", async () => {
  await using world = await worldWithProvisioner('cat "$(dirname "$0")/hidden" 2>&1; echo ran');
  const directory = join(world.control, "provisioners");
  await world.write("control/provisioners/.gitignore", "hidden\n");
  await world.write(`control/provisioners/${PROVISIONER}/hidden`, "not part of it\n");
  await world.git(directory, "init", "--quiet");
  await world.git(directory, "add", ".");
  await world.git(directory, "commit", "--quiet", "-m", "Begin");
  await approve(world);
  const ran = await world.amof(["spin", "deploy", "--yes", "--verbose"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertEquals([/ran$/m.test(ran.stderr), /not part of it/.test(ran.stderr)], [true, false]);
});

test("amof spin shares files inside provisioners/ by links, and runs what they held", async () => {
  await using world = await worldWithProvisioner('. "$(dirname "$0")/common.sh"');
  await world.write("control/provisioners/common/lib.sh", "echo common one\n");
  const link = join(world.control, "provisioners", PROVISIONER, "common.sh");
  await Deno.symlink("../common/lib.sh", link);
  await approve(world);
  const ran = await world.amof(["spin", "deploy", "--yes", "--verbose"]);
  assertStringIncludes(ran.stderr, "common one");
  await world.write("control/provisioners/common/lib.sh", "echo common two\n");
  assertEquals((await world.amof(["spin", "deploy", "--yes"])).code, 4);
});

test("amof spin deploy does nothing when the provisioner changed after the preview", async () => {
  await using world = await worldWithProvisioner("true");
  await approve(world);
  const asked = await world.amof(["spin", "deploy", "--json"]);
  assertEquals(pick(asked.json(), "error"), "confirmation_required");
  assertEquals(pick(asked.json(), "confirmation", "type"), "preview");
  const token = String(pick(asked.json(), "confirmation", "token"));
  // Approved as well: what was agreed to is still another script.
  await writeScript(world, 'touch "$AMOF_ROOT/ran"');
  await approve(world);
  const stale = await world.amof(["confirm", token, "--json"]);
  assertEquals([pick(stale.json(), "error"), stale.code], ["confirmation_stale", 4]);
  assertStringIncludes(JSON.stringify(pick(stale.json(), "details", "changed")), "hash");
  assertEquals(await world.exists("control/ran"), false);
  assertEquals((await environment(world))["state"], "none");
});

test("amof spin deploy runs the approved bytes whatever happens to the file meanwhile", async () => {
  await using world = await worldWithProvisioner("true");
  // bash reads its script while it runs it, so that a change of the same file would be obeyed.
  await Deno.writeTextFile(
    join(world.control, SCRIPT),
    [
      "#!/usr/bin/env bash",
      'yes "touch $AMOF_ROOT/hijacked" | head -n 500 > "$AMOF_PROVISIONER_DIR/spin.sh"',
      "sleep 0.1",
      "echo went on",
      "",
    ].join("\n"),
  );
  await approve(world);
  const ran = await world.amof(["spin", "deploy", "--yes", "--verbose"]);
  assertEquals(ran.code, 0, ran.stderr);
  assertStringIncludes(ran.stderr, "went on");
  assertEquals(await world.exists("control/hijacked"), false);
});

test("amof spin deploy that fails tells the exit status and the last ten lines", async () => {
  await using world = await worldWithProvisioner(
    'i=1; while [ $i -le 14 ]; do echo "line $i $KEY"; i=$((i + 1)); done; sleep 0.3; echo "last $KEY" >&2; exit 3',
    "provisioner_env: [KEY]\n",
  );
  await approve(world);
  const ran = await world.amof(["spin", "deploy", "--yes", "--json"], { env: { KEY: SECRET } });
  assertEquals(ran.code, 3);
  assertEquals(pick(ran.json(), "error"), "subprocess_failed");
  assertEquals(pick(ran.json(), "details", "exit_code"), 3);
  const tail = pick(ran.json(), "details", "log_tail") as string[];
  assertEquals(tail.length, 10);
  assertEquals(tail.includes("line 14 ***") && tail.includes("last ***"), true, String(tail));
  assertEquals(ran.stdout.includes(SECRET), false);
  const known = await environment(world);
  assertEquals(known["state"], "uncertain");
  assertMatch(String(known["detail"]), /failed; what exists now is not known$/);
  const run = String(known["run_id"]).slice(0, 8);
  const log = `See its log: amof runs logs ${run}`;
  assertStringIncludes(String(ran.json()["hint"]), log);
  const told = await world.amof(["spin", "status"]);
  assertStringIncludes(
    told.stdout,
    `${log}\nThen deploy again: amof spin deploy\nOr destroy what is there: amof spin destroy\n`,
  );
  assertEquals(known["deployed"], null);

  await writeScript(world, "exit 0");
  await approve(world);
  assertEquals((await world.amof(["spin", "deploy", "--yes"])).code, 0);
  assertEquals((await environment(world))["state"], "deployed");

  // A failed destroy may have left some of it; what was deployed is not forgotten.
  await writeScript(world, "exit 7");
  await approve(world);
  const destroyed = await world.amof(["spin", "destroy", "--confirm-name", "demo"]);
  assertEquals(destroyed.code, 7);
  const left = await environment(world);
  assertEquals(left["state"], "uncertain");
  assertNotEquals(left["deployed"], null);
  const planned = await world.amof(["spin", "destroy", "--dry-run"]);
  assertStringIncludes(planned.stdout, "⚠ The provisioner has changed since the deploy\n");
});

test("amof spin destroy takes only the name of the ecosystem for consent", async () => {
  await using world = await worldWithProvisioner('touch "$AMOF_ROOT/$1ed"');
  await approve(world);
  for (const flags of [["--yes"], ["--confirm-name", "other"], []]) {
    const ran = await world.amof(["spin", "destroy", ...flags, "--json"]);
    assertEquals(ran.code, 4, String(flags));
    assertEquals(await world.exists("control/destroyed"), false);
  }
  const ran = await world.amof(["spin", "destroy", "--confirm-name", "demo", "--json"]);
  assertEquals(ran.code, 0, ran.stdout);
  assertEquals(pick(ran.json(), "result", "state"), "destroyed");
  assert(await world.exists("control/destroyed"));
});

test("amof spin says so when the program of the script is not installed, and that nothing was done", async () => {
  await using world = await worldWithProvisioner("true");
  await Deno.writeTextFile(join(world.control, SCRIPT), "#!/no/such/program\n");
  await approve(world);
  const ran = await world.amof(["spin", "deploy", "--yes", "--json"]);
  assertEquals(pick(ran.json(), "error"), "subprocess_failed");
  assertMatch(ran.json()["message"] as string, /is not installed/);
  assertEquals((await environment(world))["state"], "none");
});

Deno.test({
  name: "amof spin deploy keeps one line of what a script writes over and over again",
  ignore: Deno.build.os === "windows", // the script is a shell script
  async fn() {
    await using world = await worldWithProvisioner(
      "i=0; while [ $i -lt 500 ]; do i=$((i+1)); printf 'pulling %d of 500\\r' $i; done; printf 'pulled 500 of 500\\n'",
    );
    await approve(world);
    assertEquals((await world.amof(["spin", "deploy", "--yes"])).code, 0);
    const { stdout } = await world.amof(["runs", "logs", "--tail", "1000"]);
    assertMatch(stdout, /pulled 500 of 500/);
    assertNotMatch(stdout, /pulling/);
  },
});
