/**
 * The Debian package.
 *
 * @module
 */

import { join } from "@std/path";
import { COMPLETIONS, type Release } from "./contents.ts";
import { PROJECT } from "./project.ts";
import { ROOT } from "./root.ts";
import { emptied, run, setTimes, stage, type StagedFile } from "./tools.ts";

/** A version as Debian sorts it: what comes before a release stands before it. */
export function debianVersion(version: string): string {
  return version.replace("-", "~");
}

const DESCRIPTION = ` amof installs, updates, looks at and pushes the git repositories of an
 ecosystem as one, keeps tickets and releases that span them, and runs
 programs in them. What changes something is previewed and agreed to
 first. The same commands are tools of an MCP server, for AI hosts.`;

function control(architecture: string, kilobytes: number): string {
  return [
    `Package: ${PROJECT.name}`,
    `Version: ${debianVersion(PROJECT.version)}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${PROJECT.maintainer}`,
    `Installed-Size: ${kilobytes}`,
    "Depends: git, libc6 (>= 2.27), libgcc-s1",
    "Section: vcs",
    "Priority: optional",
    `Homepage: ${PROJECT.homepage}`,
    "Description: operate many git repositories as one, safely",
    DESCRIPTION,
    "",
  ].join("\n");
}

/** Licences as Debian wants them told. */
function copyright(release: Release): string {
  const indented = (text: string) =>
    text.trimEnd().split("\n").map((line) => line.trim() === "" ? " ." : ` ${line}`).join("\n");
  return [
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
    `Upstream-Name: ${PROJECT.name}`,
    `Source: ${PROJECT.homepage}`,
    "Comment: The program contains the work of others; their terms are in",
    " /usr/share/doc/amof/THIRD_PARTY_NOTICES.gz.",
    "",
    "Files: *",
    `Copyright: ${PROJECT.author}`,
    `License: ${PROJECT.license}`,
    indented(release.license),
    "",
  ].join("\n");
}

/** Debian's own changelog of the package: one entry for the release. */
function changelog(epoch: number): string {
  const date = new Date(epoch * 1000).toUTCString().replace("GMT", "+0000");
  return [
    `${PROJECT.name} (${debianVersion(PROJECT.version)}) unstable; urgency=medium`,
    "",
    "  * See CHANGELOG.md in this directory.",
    "",
    ` -- ${PROJECT.maintainer}  ${date}`,
    "",
  ].join("\n");
}

async function gzipped(directory: string, paths: readonly string[]): Promise<void> {
  await run("gzip", ["-n9", ...paths], { cwd: directory });
}

function files(release: Release): StagedFile[] {
  const share = "usr/share";
  const { bash, zsh, fish } = COMPLETIONS;
  return [
    { path: "usr/bin/amof", from: release.program, run: true },
    { path: "usr/bin/agentpack", link: "amof" },
    ...release.manual.map((page) => ({
      path: `${share}/man/man1/${page.name}.1`,
      text: page.source,
    })),
    { path: `${share}/bash-completion/completions/amof`, text: bash.text },
    { path: `${share}/bash-completion/completions/agentpack`, link: "amof" },
    { path: `${share}/zsh/vendor-completions/_amof`, text: zsh.text },
    { path: `${share}/fish/vendor_completions.d/amof.fish`, text: fish.text },
    { path: `${share}/fish/vendor_completions.d/agentpack.fish`, link: "amof.fish" },
    { path: `${share}/doc/amof/copyright`, text: copyright(release) },
    { path: `${share}/doc/amof/changelog`, text: changelog(release.epoch) },
    { path: `${share}/doc/amof/CHANGELOG.md`, from: `${ROOT}CHANGELOG.md` },
    { path: `${share}/doc/amof/THIRD_PARTY_NOTICES`, text: release.notices },
    {
      path: `${share}/lintian/overrides/amof`,
      text: "# The runtime brings its own copies.\namof: embedded-library\n",
    },
  ];
}

async function sums(root: string): Promise<string> {
  const paths = (await run("find", ["usr", "-type", "f"], { cwd: root })).trim().split("\n")
    .toSorted();
  return await run("md5sum", paths, { cwd: root });
}

/** Makes the package; the same files give the same bytes. Answers its name, or null where there is none. */
export async function makeDebian(release: Release): Promise<string | null> {
  const { target: { debian }, epoch } = release;
  if (debian === null) return null;
  const root = await emptied(join(release.work, "debian"));
  await stage(root, files(release));
  const doc = join(root, "usr/share/doc/amof");
  await gzipped(doc, ["changelog", "CHANGELOG.md", "THIRD_PARTY_NOTICES"]);
  await gzipped(join(root, "usr/share/man/man1"), release.manual.map((page) => `${page.name}.1`));
  const kilobytes = Number((await run("du", ["-sk", "usr"], { cwd: root })).split(/\s/)[0]);
  await stage(root, [
    { path: "DEBIAN/control", text: control(debian, kilobytes) },
    { path: "DEBIAN/md5sums", text: await sums(root) },
  ]);
  await setTimes(root, epoch);
  const name = `amof_${debianVersion(PROJECT.version)}_${debian}.deb`;
  await run(
    "dpkg-deb",
    ["--root-owner-group", "-Zxz", "--build", root, join(release.output, name)],
    {
      env: { SOURCE_DATE_EPOCH: String(epoch) },
    },
  );
  return name;
}
