/** Sets up snapshot tests. Snapshots are beside the sources, not in dist/, and contain text verbatim. */
import { join, relative } from 'node:path';
import { snapshot } from 'node:test';
import { packageRoot } from '../../platform/assets.ts';

snapshot.setResolveSnapshotPath((file) => {
  const source = relative(packageRoot, file ?? '').replace(/^dist\//, '');
  return join(packageRoot, source.replace(/\.[jt]s$/, '.snapshot'));
});
snapshot.setDefaultSnapshotSerializers([(value: unknown) => String(value)]);
