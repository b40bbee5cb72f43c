/** Warnings about presets of networks. */
import type { Path } from '../../schema/problem.ts';
import { ageDays, presetOf } from '../../values/presets.ts';
import type { Warning } from './warning.ts';

/** Providers announce new networks weeks before they use them. */
const mostDays = 180;

/** Warns of networks that may have changed. `lists`: each list of networks with its place. */
export function* oldPresets(lists: readonly (readonly [Path, readonly string[]])[]): Iterable<Warning> {
  for (const [path, entries] of lists)
    for (const [index, entry] of entries.entries()) {
      const preset = presetOf(entry);
      const days = preset ? ageDays(preset, Date.now()) : 0;
      if (days > mostDays)
        yield {
          kind: 'old_preset',
          path: [...path, index],
          message: `the networks of ${entry} are ${days} days old`,
          hint: 'run guardcli presets update',
        };
    }
}

/** Warns where every host of the own network can claim to be any client. */
export function* privateProxies(path: Path, entries: readonly string[]): Iterable<Warning> {
  for (const [index, entry] of entries.entries())
    if (entry === 'private')
      yield {
        kind: 'private_proxies',
        path: [...path, index],
        message: 'every host of a private network, such as another container, can claim any client address',
        hint: 'name the address of the proxy',
      };
}
