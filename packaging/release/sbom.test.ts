import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Validation } from '@cyclonedx/cyclonedx-library';
import { cycloneDxVersion, type Part, sbomOf } from './sbom.ts';

const product = { file: 'x', registry: 'npm', name: 'request-guard', version: '1.0.0-rc.1' } as const;
const parts: readonly Part[] = [
  { registry: 'npm', name: '@scope/name', version: '2.0.0', license: '(MIT OR CC0-1.0)' },
  { registry: 'golang', name: 'example.com/Module', version: 'v1.0.0+incompatible', license: 'MPL-2.0' },
  { registry: 'deb/debian', name: 'libc6', version: '2.36-9+deb12u10' },
];
const text = sbomOf({ ...product, parts });
const bill = JSON.parse(text);

describe('a bill of materials', () => {
  const validator = new Validation.JsonStrictValidator(cycloneDxVersion.version);

  it('matches the schema of CycloneDX', async () => assert.equal(await validator.validate(text), null));

  it('identifies each part by its registry', () => {
    assert.deepEqual(
      bill.components.map(({ purl }: { purl: string }) => purl),
      [
        'pkg:deb/debian/libc6@2.36-9%2Bdeb12u10',
        'pkg:golang/example.com/Module@v1.0.0%2Bincompatible',
        'pkg:npm/%40scope/name@2.0.0',
      ].toSorted(),
    );
    assert.equal(bill.metadata.component.purl, 'pkg:npm/request-guard@1.0.0-rc.1');
    assert.equal(
      bill.dependencies.find(({ ref }: { ref: string }) => ref.includes('request-guard')).dependsOn.length,
      3,
    );
  });

  it('has identifiers and expressions of licenses', () => {
    const licenses = Object.fromEntries(
      bill.components.map((part: { name: string; licenses?: unknown }) => [part.name, part.licenses]),
    );
    assert.deepEqual(licenses, {
      libc6: undefined,
      'example.com/Module': [{ license: { id: 'MPL-2.0' } }],
      '@scope/name': [{ expression: '(MIT OR CC0-1.0)' }],
    });
  });

  it('has the same bytes each time', () => assert.equal(sbomOf({ ...product, parts: parts.toReversed() }), text));
});
