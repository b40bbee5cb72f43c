/** Whether this process can call libc. */
import { Libc } from './libc.ts';

export type Opened = { readonly libc: Libc } | { readonly missing: string };

let opened: Opened | undefined;

function load(): Opened {
  try {
    const ffi = process.getBuiltinModule('node:ffi');
    return ffi ? { libc: new Libc(ffi) } : { missing: `node ${process.version} has no node:ffi` };
  } catch (error) {
    return { missing: (error as Error).message };
  }
}

/** Loads node:ffi on the first call. `missing`: why libc cannot be called. */
export function openLibc(): Opened {
  opened ??= load();
  return opened;
}
