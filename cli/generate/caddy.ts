/** Writes a policy as a `guard` block for a Caddyfile: the keys that differ from the defaults. */
import { Policy, Response } from '../../contract/policy/schema.ts';
import { snakeCase } from '../../contract/values/keys.ts';
import { type Block, type Item, lineText, renderItems, wordText, wrappedLines } from './caddyfile.ts';
import {
  applicationDefaults,
  captchaDefaults,
  differingFields,
  exceptionDefaults,
  type Fields,
  ruleDefaults,
  sparseBanned,
} from './sparse.ts';

type Writer = (key: string, value: never) => readonly Item[];

const positionNote = `# \`guard\` has no default position in Caddy's order of directives. Put the global option
# "order guard first" at the top of the Caddyfile, or write this block inside "route".
`;

const writeLines: Writer = (key, values: readonly string[]) => values.map((value) => lineText(key, value));

function writePlain(key: string, value: unknown): readonly Item[] {
  return Array.isArray(value) ? wrappedLines(key, value) : [lineText(key, value as string | number | boolean)];
}

function itemsOf(fields: Fields, defaults: Fields, writers: Readonly<Record<string, Writer>> = {}): Item[] {
  return Object.entries(differingFields(fields, defaults)).flatMap(([key, value]) => {
    return (writers[key] ?? writePlain)(snakeCase(key), value as never);
  });
}

const writeRules: Writer = (_key, rules: Policy['rules']) =>
  rules.map(({ id, ...fields }): Block => ({ head: `rule ${wordText(id)}`, items: itemsOf(fields, ruleDefaults()) }));

const writeExceptions: Writer = (_key, exceptions: Policy['exceptions']) =>
  exceptions.map((fields): Block => ({ head: 'exception', items: itemsOf(fields, exceptionDefaults()) }));

const writeApplications: Writer = (_key, applications: Policy['applications']) =>
  applications.map(({ name, ...fields }): Item => {
    const [head, items] = [`application ${wordText(name)}`, itemsOf(fields, applicationDefaults())];
    return items.length === 0 ? head : { head, items };
  });

/** Caddy would read a header name `import` at the start of a line as a directive. Header names are case-insensitive. */
const headerName = (name: string): string => (name === 'import' ? 'Import' : wordText(name));

const writeHeaders: Writer = (key, values: Readonly<Record<string, string>>) => [
  { head: key, items: Object.entries(values).map(([name, value]) => lineText(headerName(name), value)) },
];

const writeCaptcha: Writer = (key, fields: Fields) => [{ head: key, items: itemsOf(fields, captchaDefaults()) }];

const writeResponse: Writer = (key, fields: Fields) => [
  { head: key, items: itemsOf(fields, Response.parse({}), { headers: writeHeaders, captcha: writeCaptcha }) },
];

const writeBanned: Writer = (key, response: Parameters<typeof sparseBanned>[0]) => [
  { head: key, items: itemsOf(sparseBanned(response), {}, { headers: writeHeaders }) },
];

const writeBanList: Writer = (key, fields: Fields) => [
  { head: key, items: itemsOf(fields, {}, { response: writeBanned }) },
];

const writers = {
  banList: writeBanList,
  blockPatterns: writeLines,
  allowPatterns: writeLines,
  rules: writeRules,
  exceptions: writeExceptions,
  applications: writeApplications,
  response: writeResponse,
};

export function generateCaddy({ $schema, tcp, ...policy }: Policy): string {
  const lines = itemsOf(policy, Policy.parse({}), writers);
  return positionNote + renderItems([lines.length === 0 ? 'guard' : { head: 'guard', items: lines }]);
}
