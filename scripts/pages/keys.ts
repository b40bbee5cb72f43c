/** Writes the tables of docs/workbench.md from the compiled workbench. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Common from '../../cli/workbench/keys/common.ts';
import type * as Names from '../../cli/workbench/keys/key-names.ts';
import type { Command } from '../../cli/workbench/screen.ts';
import type * as Screens from '../../cli/workbench/screens.ts';
import { inlineCode, table, withTables } from '../../contract/generate/markdown.ts';
import { packageRoot } from '../../platform/assets.ts';

const page = 'docs/workbench.md';

/** Imports a compiled file, because the sources of the views contain JSX, which Node cannot run. */
const importCompiled = <T>(file: string): Promise<T> =>
  import(join(packageRoot, 'dist/cli/workbench', file)) as Promise<T>;

async function keyTables(): Promise<Record<string, () => string>> {
  const { common } = await importCompiled<typeof Common>('keys/common.js');
  const { screens } = await importCompiled<typeof Screens>('screens.js');
  const { keyText } = await importCompiled<typeof Names>('keys/key-names.js');
  const row = ({ name, keys, takes }: Command) => [
    keys.length > 0 ? keys.map((key) => inlineCode(keyText(key))).join(' ') : 'palette',
    takes === undefined ? name : `${name} ${inlineCode(takes)}`,
  ];
  const keysOf = (commands: readonly Command[]) => () => table(['key', 'effect'], commands.map(row));
  const ofScreens = screens.map(({ name, commands }) => [`${name}-keys`, keysOf(commands)] as const);
  return { 'common-keys': keysOf(common), ...Object.fromEntries(ofScreens) };
}

/** Returns the page when its tables are stale. Also writes it unless `isCheck` is set. */
export async function staleKeys(isCheck: boolean): Promise<string[]> {
  const path = join(packageRoot, page);
  const text = readFileSync(path, 'utf8');
  const expected = withTables(text, await keyTables());
  if (expected === text) return [];
  if (!isCheck) writeFileSync(path, expected);
  return [page];
}
