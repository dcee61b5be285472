/**
 * The bill of materials: which packages of others the program contains, as CycloneDX has it.
 *
 * @module
 */

import { containedPackages } from "./notices.ts";
import { PROJECT } from "./project.ts";

/** The bill of materials of this version. */
export async function billOfMaterials(epoch: number): Promise<Record<string, unknown>> {
  const packages = await containedPackages();
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: {
        type: "application",
        name: PROJECT.name,
        version: PROJECT.version,
        licenses: [{ license: { id: PROJECT.license } }],
      },
    },
    components: packages.map(({ name, version }) => ({
      type: "library",
      name,
      version,
      purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    })),
  };
}
