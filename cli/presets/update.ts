/** Fetches the networks of presets, and refuses those that a provider would not publish. */
import { resolve } from 'node:path';
import { isListUrl } from '../../contract/daemon/lists.ts';
import {
  isPresetNetwork,
  presetBounds,
  presetFile,
  presetFileBytes,
  presetTableText,
  readPresetTable,
} from '../../contract/load/presets.ts';
import { contains, networksOf, parseNetwork } from '../../contract/values/address.ts';
import { type NewerPreset, presetOf, setPresets } from '../../contract/values/presets.ts';
import { download } from '../../daemon/lists/download.ts';
import { UsageError } from '../../platform/errors.ts';
import { readRegularSync, replaceFile } from '../../platform/regular-file.ts';
import { writeError } from '../../platform/writing.ts';
import type { Context } from '../program/context.ts';
import { type Provider, providers } from './providers.ts';

export interface UpdateOptions {
  readonly dir: string;
  readonly from?: readonly string[];
}

export interface PresetUpdate {
  readonly name: string;
  readonly networks: number;
  /** Why the networks in force stay. Absent: they are current. */
  readonly refused?: string;
}

export interface UpdateResult {
  readonly file: string;
  readonly presets: readonly PresetUpdate[];
}

const mostBytes = 16 * 1024 * 1024; // the list of all of AWS has 2 MB
const mostMs = 60_000;

/** @throws Error that says why the networks of the document are not used */
function checkNetworks(name: string, found: readonly unknown[]): string[] {
  const texts = found.map((one) => (typeof one === 'string' ? one.trim() : ''));
  const wrong = texts.find((text) => !isPresetNetwork(text));
  if (wrong !== undefined)
    throw new Error(
      parseNetwork(wrong) ? `${wrong} is wider than /8 (IPv6: /24)` : 'the document is not a list of networks',
    );
  if (texts.length === 0) throw new Error('there are no networks in the document');
  if (texts.length > presetBounds.networks)
    throw new Error(`it has ${texts.length} networks, more than ${presetBounds.networks}`);
  const before = networksOf(presetOf(name)?.networks ?? []);
  const after = networksOf(texts);
  const kept = before.filter(({ family, prefix, length }) => {
    const value = prefix << BigInt((family === 4 ? 32 : 128) - length);
    return after.some((network) => network.length <= length && contains(network, { family, value }));
  });
  if (before.length > 0 && kept.length * 2 <= before.length)
    throw new Error(`it lacks ${before.length - kept.length} of ${before.length} networks`);
  return [...new Set(texts)].sort();
}

function sourcesOf(from: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    from.map((text) => {
      const [name = '', ...rest] = text.split('=');
      const url = rest.join('=');
      if (providers.some((provider) => provider.name === name) && isListUrl(url)) return [name, url];
      throw new UsageError(`--from is ${JSON.stringify(text)}`, {
        code: 'bad_option',
        hint: `write it like cloudflare=https://mirror.example/ips; the names are ${providers.map((one) => one.name).join(', ')}`,
      });
    }),
  );
}

async function fetchPreset({ name, networksOf: read, urls }: Provider, now: number, signal: AbortSignal) {
  if (urls.length === 0) throw new Error('it has no fixed address: pass the one of its current file with --from');
  const texts = await Promise.all(urls.map((url) => download(url, { mostBytes, ms: mostMs, signal })));
  const networks = checkNetworks(
    name,
    texts.flatMap(({ text = '' }) => read(text)),
  );
  const source = urls.join(' ').slice(0, presetBounds.source);
  return { name, date: new Date(now).toISOString().slice(0, 10), source, networks };
}

function readFile(path: string): readonly NewerPreset[] {
  try {
    return readPresetTable(readRegularSync(path, presetFileBytes).toString());
  } catch {
    return []; // absent or damaged: it is written again
  }
}

async function writeFile(path: string, rows: readonly NewerPreset[]): Promise<void> {
  try {
    await replaceFile(path, async (file) => {
      await file.chmod(0o644);
      await file.writeFile(presetTableText(rows));
    });
  } catch (error) {
    throw writeError(path, { code: 'file_unwritable', hint: 'check the permissions of the folder' }, error);
  }
}

/** @throws Error when no reader would use a file with these rows */
function refuseLarge(rows: readonly NewerPreset[]): void {
  const bytes = Buffer.byteLength(presetTableText(rows));
  if (bytes > presetFileBytes) throw new Error(`with it, the file has ${bytes} bytes, more than ${presetFileBytes}`);
}

export async function updatePresets({ dir, from = [] }: UpdateOptions, context: Context): Promise<UpdateResult> {
  const sources = sourcesOf(from);
  const file = resolve(context.cwd, dir, presetFile);
  const known = readFile(file);
  setPresets(known);
  const rows = new Map(known.map((row) => [row.name, row]));
  const presets: PresetUpdate[] = [];
  const fetched = providers.map((provider) => {
    const own = sources.get(provider.name);
    const one = own ? { ...provider, urls: [own] } : provider;
    return { name: provider.name, row: fetchPreset(one, context.now(), context.signal) };
  });
  await Promise.allSettled(fetched.map(({ row }) => row));
  for (const { name, row: fetching } of fetched) {
    try {
      const row = await fetching;
      refuseLarge([...rows.values()].filter((one) => one.name !== name).concat(row));
      rows.set(name, row);
      presets.push({ name, networks: row.networks.length });
    } catch (error) {
      if (context.signal.aborted) throw error;
      presets.push({ name, networks: presetOf(name)?.networks.length ?? 0, refused: (error as Error).message });
    }
  }
  if (presets.some(({ refused }) => refused === undefined)) await writeFile(file, [...rows.values()]);
  return { file, presets };
}
