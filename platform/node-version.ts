/** Checks that this Node can run the programs. Older versions would fail at the first missing function. */
import { manifest } from './assets.ts';

/** Returns why this Node is too old and what to do, or undefined. */
export function nodeProblem(program: string): string | undefined {
  const [oldest = ''] = /\d+/.exec(manifest().engines.node) ?? [];
  if (Number.parseInt(process.versions.node, 10) >= Number(oldest)) return undefined;
  return `${program} needs Node ${oldest} or newer, and this is ${process.version} (${process.execPath}). Install it: https://nodejs.org.`;
}
