/**
 * Writes everything that is derived from the contract: `npm run generate`. With `--check` it writes nothing, and fails
 * when a file is stale.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { eventJsonSchema } from '../events/schema.ts';
import { logFormats } from '../logs/formats.ts';
import { Policy } from '../policy/schema.ts';
import { apiTables } from './api-page.ts';
import { applicationTables } from './applications-page.ts';
import { boardFiles } from './boards/index.ts';
import { caddyKeys } from './caddy-keys.ts';
import { captchaGo, captchaLua } from './captcha.ts';
import { collectorConfiguration } from './collector.ts';
import { crowdsecParsers } from './crowdsec.ts';
import { daemonTables } from './daemon-page.ts';
import { policyTables } from './docs.ts';
import { engineTables } from './engine-page.ts';
import { eventFormat } from './event-format.ts';
import { eventTables } from './events-page.ts';
import { exploitExampleRows, exploitRows, exploitTables } from './exploits-page.ts';
import { goFiles } from './go.ts';
import { builtInLiterals, engineRuleRows } from './literals.ts';
import { luaTables } from './lua.ts';
import { luaPolicyTables } from './lua-policy.ts';
import { withTables } from './markdown.ts';
import { modesTables } from './modes-page.ts';
import { nameRulesFile } from './name-rules.ts';
import { applicationRows } from './profile-table.ts';
import { rockspec, rockspecFile } from './rockspec.ts';
import { ruleTables } from './rows.ts';
import { daemonJsonSchema, dialect, policyJsonSchema, suiteJsonSchema } from './schemas.ts';
import { suiteTables } from './suite-page.ts';
import { luaTexts, textFiles } from './texts.ts';
import { vectorSchemas, vectorTables } from './vectors-page.ts';

interface Output {
  /** Path from the root of the package. */
  readonly file: string;
  /** Returns the expected content. @param current the present content */
  readonly text: (current: string) => string;
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Generated files that other outputs read, in this order. */
const sources: readonly Output[] = [
  { file: 'contract/generated/applications.json', text: applicationRows },
  { file: 'contract/generated/name-rules.json', text: nameRulesFile },
  { file: 'contract/generated/exploits.ts', text: exploitRows },
  { file: 'contract/generated/exploit-examples.json', text: exploitExampleRows },
  { file: 'contract/generated/literals.json', text: builtInLiterals },
  { file: 'contract/generated/engine-rules.json', text: engineRuleRows },
  {
    file: 'contract/generated/log-formats.json',
    text: () => jsonText(logFormats.map(({ name, onlyFile }) => ({ name, onlyFile }))),
  },
];

const outputs: readonly Output[] = [
  { file: 'contract/generated/policy.schema.json', text: () => jsonText(policyJsonSchema()) },
  { file: 'contract/generated/daemon.schema.json', text: () => jsonText(daemonJsonSchema()) },
  { file: 'contract/generated/suite.schema.json', text: () => jsonText(suiteJsonSchema()) },
  {
    file: 'contract/generated/event.schema.json',
    text: () => jsonText({ $schema: dialect, ...eventJsonSchema() }),
  },
  ...sources,
  // Commands without a policy file read these defaults and do not load the schema.
  { file: 'contract/generated/policy.defaults.json', text: () => jsonText(Policy.parse({})) },
  { file: 'docs/api.md', text: (page) => withTables(page, apiTables) },
  { file: 'docs/tcp-guard.md', text: (page) => withTables(page, daemonTables) },
  { file: 'docs/applications.md', text: (page) => withTables(page, applicationTables) },
  { file: 'docs/exploits.md', text: (page) => withTables(page, exploitTables) },
  { file: 'docs/policy.md', text: (page) => withTables(page, policyTables) },
  { file: 'docs/events.md', text: (page) => withTables(page, eventTables) },
  { file: 'docs/engine.md', text: (page) => withTables(page, engineTables) },
  { file: 'docs/policy-tests.md', text: (page) => withTables(page, suiteTables) },
  { file: 'docs/response-modes.md', text: (page) => withTables(page, modesTables) },
  { file: 'conformance/vectors/README.md', text: (page) => withTables(page, vectorTables) },
  ...vectorSchemas().map(({ file, schema }) => ({ file, text: () => jsonText(schema) })),
  { file: 'module/lua/guard/tables.lua', text: luaTables },
  { file: 'module/lua/guard/policy/tables.lua', text: luaPolicyTables },
  { file: 'module/lua/guard/captcha_texts.lua', text: captchaLua },
  { file: 'module/respond/captcha_gen.go', text: captchaGo },
  { file: 'module/caddy/keys_gen.go', text: caddyKeys },
  { file: 'module/lua/guard/texts.lua', text: luaTexts },
  { file: 'module/event/format_gen.go', text: eventFormat },
  ...crowdsecParsers,
  { file: 'observability/collector/collector.yaml', text: collectorConfiguration },
  { file: rockspecFile(), text: rockspec },
  ...boardFiles,
  ...ruleTables,
  ...[...goFiles(), ...textFiles()].map(({ file, text }) => ({ file, text: () => text })),
];

const root = new URL('../../', import.meta.url);

/** Returns the file with its expected content, or undefined when it has this content. */
function staleContent({ file, text }: Output): { file: string; text: string } | undefined {
  const url = new URL(file, root);
  const current = existsSync(url) ? readFileSync(url, 'utf8') : '';
  const expectedText = text(current);
  return expectedText === current ? undefined : { file, text: expectedText };
}

function write({ file, text }: { file: string; text: string }): void {
  const url = new URL(file, root);
  mkdirSync(new URL('.', url), { recursive: true });
  writeFileSync(url, text);
  process.stdout.write(`written: ${file}\n`);
}

function check(): void {
  const files = outputs.flatMap((output) => staleContent(output) ?? []);
  for (const { file } of files) process.stdout.write(`stale: ${file}\n`);
  if (files.length === 0) return;
  process.stderr.write('generated files are stale: run `npm run generate` and commit what it writes\n');
  process.exitCode = 1;
}

function generate(): void {
  for (const source of sources) {
    const file = staleContent(source);
    if (!file) continue;
    write(file);
    // This process has already imported the old sources, so another process generates the other outputs.
    process.exitCode = spawnSync(process.execPath, process.argv.slice(1), { stdio: 'inherit' }).status ?? 1;
    return;
  }
  for (const output of outputs) {
    const file = staleContent(output);
    if (file) write(file);
  }
}

if (process.argv.includes('--check')) check();
else generate();
