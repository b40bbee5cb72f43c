/** `tcp-guard enforce`: bans what was only detected until now. */
import { realpathSync, statSync } from 'node:fs';
import type { Node } from '../../contract/load/tree.ts';
import { readYaml } from '../../contract/load/yaml.ts';
import { limits } from '../../contract/policy/limits.ts';
import { readReason, readRegularSync } from '../../platform/regular-file.ts';
import { writeLike } from './configuration.ts';

const [from, to] = ['detect', 'enforce'];

const memberOf = (node: Node | undefined, key: string): Node | undefined => node?.members?.get(key)?.node;

/** Changes the value of `bans.mode`, and nothing else. Returns undefined when the text does not have `detect` there. */
export function enforcedText(text: string): string | undefined {
  const start = memberOf(memberOf(readYaml(text).root, 'bans'), 'mode')?.start;
  if (start === undefined) return undefined;
  const quote = /^["']/.exec(text.slice(start))?.[0] ?? '';
  const found = `${quote}${from}${quote}`;
  if (!text.startsWith(found, start)) return undefined;
  return `${text.slice(0, start)}${quote}${to}${quote}${text.slice(start + found.length)}`;
}

/** Changes the mode in a file, and keeps its owner and its mode. Returns what prevents that. */
export function enforceFile(path: string): string | undefined {
  try {
    const target = realpathSync(path);
    const text = enforcedText(readRegularSync(target, limits.daemonFileBytes).toString());
    if (text === undefined) return 'write mode: enforce in its section bans, then run tcp-guard reload';
    writeLike(target, text, statSync(target));
    return undefined;
  } catch (error) {
    return readReason(error);
  }
}
