/** For tests: opening a file blocks, as on a disk that does not respond. */
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';

/** `isOpening` resolves when the file is being opened. The open continues after a call of `free`. */
export function stallOpen(t: TestContext, path: string) {
  const opening = Promise.withResolvers<void>();
  const freed = Promise.withResolvers<void>();
  const { open } = promises;
  t.mock.method(promises, 'open', async (...options: Parameters<typeof open>) => {
    if (options[0] === path) {
      opening.resolve();
      await freed.promise;
    }
    return open(...options);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  return { isOpening: opening.promise, free: () => freed.resolve() };
}
