/** Writes the bill of materials of a shipped file: its components with their licenses, in CycloneDX JSON. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import { manifest } from '../../platform/assets.ts';

/** Types in package URLs, which name the registry of a part. */
type Registry = 'npm' | 'golang' | 'deb/debian' | 'deb/request-guard' | 'rpm/request-guard' | 'generic' | 'oci';

export interface Part {
  readonly registry: Registry;
  readonly name: string;
  readonly version: string;
  /** SPDX identifier or expression. Absent: a copyright file of the part has the licenses. */
  readonly license?: string;
}

export interface Shipped {
  /** File name of the bill, without its extension. */
  readonly file: string;
  readonly registry: Registry;
  readonly name: string;
  readonly version: string;
  readonly parts: readonly Part[];
}

export const cycloneDxVersion = Spec.Spec1dot6;

const encodedPath = (text: string): string => text.split('/').map(encodeURIComponent).join('/');
const packageUrl = ({ registry, name, version }: Part): string =>
  `pkg:${registry}/${encodedPath(name)}@${encodedPath(version)}`;

function licenses(license: string | undefined): Models.LicenseRepository {
  if (license === undefined) return new Models.LicenseRepository();
  const { SpdxLicense, LicenseExpression, LicenseRepository } = Models;
  return new LicenseRepository([
    SPDX.isSupportedSpdxId(license) ? new SpdxLicense(license) : new LicenseExpression(license),
  ]);
}

function componentOf(part: Part, type = Enums.ComponentType.Library): Models.Component {
  const { name, version, license } = part;
  return new Models.Component(type, name, {
    ...{ version, purl: packageUrl(part), bomRef: packageUrl(part), licenses: licenses(license) },
  });
}

/** Returns the bill. It has no date, so that the same version always has the same bytes. */
export function sbomOf({ parts, ...product }: Shipped): string {
  const { license } = manifest();
  const component = componentOf({ ...product, license }, Enums.ComponentType.Application);
  const components = parts.map((part) => componentOf(part));
  for (const { bomRef } of components) component.dependencies.add(bomRef);
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component }) });
  for (const each of components) bom.components.add(each);
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(cycloneDxVersion));
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

/** Writes the bill into the folder. Returns its name. */
export function writeSbom(folder: string, shipped: Shipped): string {
  const file = `${shipped.file}.cdx.json`;
  writeFileSync(join(folder, file), sbomOf(shipped));
  return file;
}
