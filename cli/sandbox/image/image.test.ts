import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { containerUser } from '../../../containers/hardening.ts';
import { imageLabel } from '../../../containers/labels.ts';
import { packageRoot } from '../../../platform/assets.ts';
import { proxies } from '../../targets/table.ts';
import { loadSandbox } from '../targets/index.ts';

const images = await Promise.all(proxies.map(({ name }) => loadSandbox(name)));

for (const { name, folder, artefacts, base, sources = [] } of images) {
  const lines = readFileSync(join(packageRoot, folder, 'Dockerfile'), 'utf8').split('\n');

  test(`the label of ${name} is set right after its base, so that layers of a killed build are found too`, () => {
    const from = lines.findIndex((line) => line.startsWith('FROM '));
    assert.deepEqual(lines.slice(0, from + 1), base ? ['ARG BASE', 'FROM ${BASE}'] : ['FROM scratch']);
    assert.equal(lines[from + 1], `LABEL ${imageLabel}="${name}"`);
  });

  test(`the image of ${name} copies its artefacts and runs as nobody`, () => {
    for (const artefact of artefacts) {
      const argument = artefact.toUpperCase();
      assert.ok(lines.includes(`ARG ${argument}`) && lines.includes(`COPY \${${argument}} /${artefact}`), artefact);
    }
    for (const path of sources)
      assert.ok(
        lines.some((line) => line.startsWith(`COPY ${path} /`)),
        path,
      );
    assert.ok(lines.includes(`USER ${containerUser}`));
    assert.ok(lines.includes('ENTRYPOINT ["/runner"]'));
  });
}
