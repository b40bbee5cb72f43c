import { type Ffi, Libc } from './libc.ts';

type OpenedLibc = { readonly libc: Libc } | { readonly missing: string };

let openedLibc: OpenedLibc | undefined;

/** Suppresses the warning that node:ffi is experimental. The documentation of `global.data_plane` explains the risk. */
function withoutWarnings<Result>(load: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** @throws Error when this Node has no node:ffi, or permissions deny it */
export function loadFfi(): Ffi {
  const ffi = withoutWarnings(() => process.getBuiltinModule('node:ffi'));
  if (!ffi) throw new Error(`Node ${process.version} has no node:ffi`);
  return ffi;
}

function loadLibc(): OpenedLibc {
  try {
    return { libc: new Libc(loadFfi()) };
  } catch (error) {
    return { missing: (error as Error).message };
  }
}

/** Loads node:ffi on the first call. `missing`: why libc cannot be called. */
export function openLibc(): OpenedLibc {
  openedLibc ??= loadLibc();
  return openedLibc;
}

/** Makes the kernel end this process with its parent, even while stopped. Does nothing unless `openLibc` has a libc. */
export function endWithParent(): void {
  if (openedLibc && 'libc' in openedLibc) openedLibc.libc.endWithParent();
}
