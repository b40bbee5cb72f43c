/** The subcommands of `guardcli presets`. */
import { resolve } from 'node:path';
import { allPresets, type Preset } from '../../contract/values/presets.ts';
import { loadPresetFile } from '../../daemon/lists/preset-file.ts';
import { exitCodes } from '../../platform/errors.ts';
import { readable } from '../../platform/escape.ts';
import { command } from '../program/command.ts';
import { table } from '../program/table.ts';
import { type UpdateOptions, type UpdateResult, updatePresets } from './update.ts';

interface Listed {
  readonly presets: readonly Preset[];
  /** Why the file beside the policy is not used. */
  readonly problem?: string;
}

export const listCommand = command<{ readonly dir: string }, Listed>({
  description: 'Lists the presets, and the day on which their source had these networks.',
  examples: [{ line: 'guardcli presets list --json', note: 'with the networks' }],
  configure: (parser) => parser.option('--dir <folder>', 'the folder of the policy', '.'),
  run: async ({ dir }, { cwd }) => {
    const problem = loadPresetFile(resolve(cwd, dir));
    return { presets: allPresets(), ...(problem !== undefined && { problem }) };
  },
  text: ({ presets }, paint) => {
    const title = ['preset', 'networks', 'date', 'title'].map((name) => paint('dim', name));
    const rows = presets.map(({ name, networks, date, title: text }) => [
      name,
      `${networks.length}`,
      date || '-',
      text,
    ]);
    return table([title, ...rows], { indent: '' }).join('\n');
  },
  notes: ({ problem = '' }) => problem,
});

export const updateCommand = command<UpdateOptions, UpdateResult>({
  description:
    'Fetches the networks that the providers publish, and writes `guard-presets.json` beside the policy, where guardcli and tcp-guard ' +
    'read it. The networks of a provider stay when its document cannot be read, has a network wider than /8 (IPv6: /24), or lacks ' +
    'half of them. The guards in the proxies get them with `generate` or `apply`. Status 3: no provider could be read.',
  examples: [
    { line: 'guardcli presets update', note: 'writes guard-presets.json in this folder' },
    {
      line: 'guardcli presets update --dir /etc/guard --from cloudflare=https://mirror.example.com/ips',
      note: 'from a mirror',
    },
  ],
  configure: (parser) =>
    parser
      .option('--dir <folder>', 'the folder of the policy', '.')
      .option('--from <name=url...>', 'where the document of a provider is, if it is elsewhere'),
  run: updatePresets,
  text: ({ presets }) =>
    presets
      .map(({ name, networks, refused }) =>
        refused === undefined ? `${name}: ${networks} networks` : `${name}: stays at ${networks}: ${readable(refused)}`,
      )
      .join('\n'),
  exitCode: ({ presets }) => (presets.some(({ refused }) => refused === undefined) ? 0 : exitCodes.external),
});
