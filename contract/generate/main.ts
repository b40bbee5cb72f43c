/**
 * Writes everything that is derived from the contract: `npm run generate`. With `--check` nothing is written, and the
 * status is 1 when a file is stale.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { Policy } from '../policy/schema.ts';
import { apiTables } from './api-page.ts';
import { boardFiles } from './boards/index.ts';
import { captchaGo, captchaLua } from './captcha.ts';
import { collectorConfiguration } from './collector.ts';
import { crowdsecParser } from './crowdsec.ts';
import { daemonTables } from './daemon-page.ts';
import { policyTables } from './docs.ts';
import { engineTables } from './engine-page.ts';
import { goFiles } from './go.ts';
import { builtInLiterals } from './literals.ts';
import { luaTables } from './lua.ts';
import { luaPolicyTables } from './lua-policy.ts';
import { withTables } from './markdown.ts';
import { modesTables } from './modes-page.ts';
import { rockspec, rockspecFile } from './rockspec.ts';
import { daemonJsonSchema, policyJsonSchema, suiteJsonSchema } from './schemas.ts';
import { suiteTables } from './suite-page.ts';
import { luaTexts, textFiles } from './texts.ts';

interface Output {
  /** From the root of the package. */
  readonly file: string;
  /** What the file should hold; `current` is what it holds. */
  readonly text: (current: string) => string;
}

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

/** Every generated file. */
const outputs: readonly Output[] = [
  { file: 'contract/generated/policy.schema.json', text: () => json(policyJsonSchema()) },
  { file: 'contract/generated/daemon.schema.json', text: () => json(daemonJsonSchema()) },
  { file: 'contract/generated/suite.schema.json', text: () => json(suiteJsonSchema()) },
  { file: 'contract/generated/literals.json', text: builtInLiterals },
  // The CLI starts without the schema where it reads no policy file.
  { file: 'contract/generated/policy.defaults.json', text: () => json(Policy.parse({})) },
  { file: 'docs/api.md', text: (page) => withTables(page, apiTables) },
  { file: 'docs/tcp-guard.md', text: (page) => withTables(page, daemonTables) },
  { file: 'docs/policy.md', text: (page) => withTables(page, policyTables) },
  { file: 'docs/engine.md', text: (page) => withTables(page, engineTables) },
  { file: 'docs/policy-tests.md', text: (page) => withTables(page, suiteTables) },
  { file: 'docs/response-modes.md', text: (page) => withTables(page, modesTables) },
  { file: 'module/lua/guard/tables.lua', text: luaTables },
  { file: 'module/lua/guard/policy/tables.lua', text: luaPolicyTables },
  { file: 'module/lua/guard/captcha_texts.lua', text: captchaLua },
  { file: 'module/respond/captcha_gen.go', text: captchaGo },
  { file: 'module/lua/guard/texts.lua', text: luaTexts },
  { file: 'observability/crowdsec/parsers/s01-parse/request-guard-gateways.yaml', text: crowdsecParser },
  { file: 'observability/collector/collector.yaml', text: collectorConfiguration },
  { file: rockspecFile, text: rockspec },
  ...boardFiles,
  ...[...goFiles(), ...textFiles()].map(({ file, text }) => ({ file, text: () => text })),
];

const root = new URL('../../', import.meta.url);

function stale(): { file: string; text: string }[] {
  return outputs.flatMap(({ file, text }) => {
    const url = new URL(file, root);
    const current = existsSync(url) ? readFileSync(url, 'utf8') : '';
    const wanted = text(current);
    return wanted === current ? [] : [{ file, text: wanted }];
  });
}

function write(file: string, text: string): void {
  const url = new URL(file, root);
  mkdirSync(new URL('.', url), { recursive: true });
  writeFileSync(url, text);
}

const files = stale();
const isCheck = process.argv.includes('--check');
for (const { file, text } of files) {
  if (!isCheck) write(file, text);
  process.stdout.write(`${isCheck ? 'stale' : 'written'}: ${file}\n`);
}
if (isCheck && files.length > 0) {
  process.stderr.write('generated files are stale: run `npm run generate` and commit what it writes\n');
  process.exitCode = 1;
}
