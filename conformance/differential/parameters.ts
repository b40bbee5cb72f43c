/** Random forms, as in queries and bodies, and JSON that contain a hostile value. */
import { randomBase64 } from './encodings.ts';
import type { Random } from './random.ts';

export type Value = () => string;

const jsonEscapes: readonly ((code: number) => string)[] = [
  (code) => `\\u${code.toString(16).padStart(4, '0')}`,
  (code) => `\\${String.fromCharCode(code)}`,
  () => '\\ud83d\\ude00',
  () => '\\uD800',
  () => '\\u12',
  () => '\\',
];

export function jsonString(random: Random, text: string): string {
  const escaped = (character: string) => random.pick(jsonEscapes)(character.charCodeAt(0));
  const inside = [...text].map((character) => (random.oneIn(8) ? escaped(character) : character)).join('');
  return `"${inside}${random.oneIn(15) ? '' : '"'}`;
}

const linkParts = [
  ...['', '/', '/a/b', '/.env', '/backup.sql', '/wp-config.php.bak', '/a/../.env', ':8080/etc/passwd', '//x', '\\/a'],
  ...['?', '?c=d', '#top', '?file=/etc/passwd', '.', ' ', '/a.', ';x', '::$DATA', '%2e', 'union select', '\xe9'],
];

/** Returns a link, as most JSON has some: plain, or with a hostile part. */
const randomLink = (random: Random): string =>
  `${random.pick(['http', 'https', 'https', 'HTTPS', ' https'])}://${random.pick(['h', 'example.org', '', '.git'])}` +
  random.several(0, 3, () => random.pick(linkParts)).join('');

const nestedJson = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

const jsonItems: readonly ((text: Value) => string)[] = [
  (text) => text(),
  (text) => `"${btoa(text())}"`,
  (text) => `"${btoa(` \r\n{"k":\n${text()}}`)}"`,
  () => '1',
  () => 'null',
  () => '""',
  (text) => `${text()} // "`,
  (text) => `{"k":${text()}}`,
  (text) => nestedJson(`{"k":${text()}}`),
  (text) => nestedJson(` \n[1, ${text()},${nestedJson(`[${text()}]`)}]`),
  (text) => nestedJson(`[ ] x ${text()}`),
];

export function randomJson(random: Random, value: Value): string {
  const item = () =>
    random.oneIn(5) ? `"${randomLink(random)}"` : random.pick(jsonItems)(() => jsonString(random, value()));
  return `[${random.several(0, 5, item).join(',')}]`;
}

const innerEscapes: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/["[{:&]/g, (character) => `%${character.charCodeAt(0).toString(16)}`),
  (text) => text.replaceAll('"', '%u0022').replaceAll(' ', '+'),
  (text) => ` %0A+\n${text}`,
  (text) => `j:${text}`,
  (text) => `%73:j%3a${text}.x`,
  (text) => Buffer.from(text, 'latin1').toString('base64url'),
  (text) => Buffer.from(text, 'latin1').toString('base64url').replaceAll('y', '%79'),
  (text) => Buffer.from(text.replace(/[[,{]/g, '$&\n'), 'latin1').toString('base64url'),
];

export const innerWords = (random: Random) => `["${'a","'.repeat(random.pick([1, 100, 300]))}"]`;

/** Returns JSON that is the value of a parameter: a few strings, or many words. */
export const jsonParameter = (random: Random, value: Value) =>
  random.pick(innerEscapes)(
    random.oneIn(20)
      ? innerWords(random)
      : random.pick([randomJson(random, value), `{"a":${randomJson(random, value)}}`]),
  );

/** Keys that some server reads as `file`, and near misses. */
export const fileKeys = [
  ...['file', '%66ile', 'FI%4cE', 'file[]', 'file%5Bx%5d', '[file]', ']file', '+file', '%20+file', 'file%00x'],
  ...['%u0066ile', '%2bfile', 'file+', '%2566ile', 'profile', 'x[file]', 'file.x', '%09file', 'file\0', 'fi%le'],
];
export const fileNames = ['passwd', 'p%61sswd', 'install.php', '../', 'index.php', '+passwd', 'passwd;x'];

const filePair = (random: Random): string => `${random.pick(fileKeys)}=${random.pick(fileNames)}`;

const formPairs: readonly ((value: Value, random: Random) => string)[] = [
  (value) => `a=${value()}`,
  (value) => `a=${value()}`,
  (value) => `${value()}=`,
  (value) => value(),
  (value) => `a+b=${value()}+c`,
  (value, random) => `a=${randomBase64(random, value())}`,
  () => '',
  (value) => `=${value()}`,
  (value, random) => `a=${jsonParameter(random, value)}`,
  (value, random) => jsonParameter(random, value),
  (_, random) => filePair(random),
  (_, random) => `a=${randomLink(random)}`,
  (value, random) => `${random.pick(fileKeys)}=${value()}`,
];

/**
 * Returns `key=value&...` with malformations that occur in practice. In one of 100 calls the number of pairs is close
 * to a limit or beyond it.
 */
export function randomForm(random: Random, value: Value): string {
  const pair = () => random.pick(formPairs)(value, random);
  const many = random.oneIn(100) ? 'a=b&'.repeat(random.pick([250, 256, 1100])) : '';
  const separator = random.pick(['&', '&', '&', ';', ';;', ';&']);
  return (
    many + random.several(0, 5, pair).reduce((form, next) => form + (random.oneIn(3) ? separator : '&') + next, '')
  );
}
