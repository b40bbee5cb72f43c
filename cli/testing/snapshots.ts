/**
 * Snapshots are beside the sources, not in dist/, and contain text verbatim. `node --test --test-update-snapshots`
 * rewrites them; review the diff before you commit it.
 */
import { join, relative } from 'node:path';
import { snapshot } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';

snapshot.setResolveSnapshotPath((file) => {
  const source = relative(join(packageRoot, 'dist'), file ?? '');
  return join(packageRoot, source.replace(/\.js$/, '.snapshot'));
});
snapshot.setDefaultSnapshotSerializers([(value: unknown) => String(value)]);
