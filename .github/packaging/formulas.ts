/**
 * What other package managers are told: Homebrew, Scoop, winget.
 *
 * @module
 */

import { archiveName } from "./archive.ts";
import { PROJECT, releaseUrl } from "./project.ts";
import { type Target, TARGETS } from "./targets.ts";
import { json } from "./tools.ts";

/** The SHA-256 of each target's archive, by the target's name. */
export type ArchiveSums = ReadonlyMap<string, string>;

function address(target: Target): string {
  return releaseUrl(archiveName(target));
}

function sumOf(sums: ArchiveSums, target: Target): string {
  const sum = sums.get(target.name);
  if (sum === undefined) throw new Error(`The sum of the archive for ${target.name} is missing`);
  return sum;
}

function brewBlock(sums: ArchiveSums, os: Target["os"]): string {
  const blocks = TARGETS.filter((target) => target.os === os).map((target) =>
    `    on_${target.cpu === "x64" ? "intel" : "arm"} do
      url "${address(target)}"
      sha256 "${sumOf(sums, target)}"
    end`
  );
  return `  on_${os === "darwin" ? "macos" : "linux"} do\n${blocks.join("\n")}\n  end`;
}

/** The formula of Homebrew. */
export function brewFormula(sums: ArchiveSums): string {
  return `class Amof < Formula
  desc "Operate many git repositories as one, safely"
  homepage "${PROJECT.homepage}"
  version "${PROJECT.version}"
  license "${PROJECT.license}"

${brewBlock(sums, "darwin")}
${brewBlock(sums, "linux")}

  def install
    bin.install "amof"
    bin.install_symlink "amof" => "agentpack"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/amof.bash" => "amof"
    zsh_completion.install "completions/_amof"
    fish_completion.install "completions/amof.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/amof --version")
  end
end
`;
}

const [WINDOWS] = TARGETS.filter((target) => target.os === "win32");

function windows(): Target {
  if (WINDOWS === undefined) throw new Error("There is no archive for Windows");
  return WINDOWS;
}

function folder(target: Target): string {
  return `amof-${PROJECT.version}-${target.name}`;
}

/** The manifest of Scoop. */
export function scoopManifest(sums: ArchiveSums): string {
  const target = windows();
  return json({
    version: PROJECT.version,
    description: PROJECT.title,
    homepage: PROJECT.homepage,
    license: PROJECT.license,
    depends: "git",
    architecture: {
      "64bit": { url: address(target), hash: sumOf(sums, target), extract_dir: folder(target) },
    },
    bin: ["amof.exe", ["amof.exe", "agentpack"]],
    checkver: "github",
    autoupdate: {
      architecture: {
        "64bit": {
          url: address(target).replaceAll(PROJECT.version, "$version"),
          extract_dir: folder(target).replaceAll(PROJECT.version, "$version"),
        },
      },
    },
  });
}

/** The installer manifest of winget. */
export function wingetManifest(sums: ArchiveSums): string {
  const target = windows();
  return `PackageIdentifier: amof.amof
PackageVersion: ${PROJECT.version}
PackageLocale: en-US
Publisher: ${PROJECT.author}
PackageName: ${PROJECT.name}
License: ${PROJECT.license}
ShortDescription: ${PROJECT.title}
PackageUrl: ${PROJECT.homepage}
InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
  - RelativeFilePath: ${folder(target)}\\amof.exe
    PortableCommandAlias: amof
Installers:
  - Architecture: x64
    InstallerUrl: ${address(target)}
    InstallerSha256: ${sumOf(sums, target).toUpperCase()}
ManifestType: singleton
ManifestVersion: 1.6.0
`;
}
