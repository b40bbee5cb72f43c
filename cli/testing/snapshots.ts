/**
 * Snapshots lie beside the sources, not in dist/, and hold text as it is. `node --test --test-update-snapshots` writes
 * them anew; look at the difference before it is committed.
 */
import { join, relative } from 'node:path';
import { snapshot } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';

snapshot.setResolveSnapshotPath((file) => {
  const source = relative(join(packageRoot, 'dist'), file ?? '');
  return join(packageRoot, source.replace(/\.js$/, '.snapshot'));
});
snapshot.setDefaultSnapshotSerializers([(value: unknown) => String(value)]);
