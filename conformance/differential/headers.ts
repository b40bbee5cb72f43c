/** Random headers, some of which contain a hostile value, peers and hosts. */
import { forwardedText } from './clients.ts';
import { encodeSome } from './encodings.ts';
import { fileKeys, fileNames, jsonParameter, randomForm, type Value } from './parameters.ts';
import type { Random } from './random.ts';

const forwardedHeaders = [
  '10.0.0.1',
  '8.8.8.8',
  '192.0.2.7:80',
  '[2001:db8::1]:443',
  '::ffff:10.0.0.2',
  '010.0.0.1',
  'x',
  '',
  ' 10.0.0.3\t',
];
const urlHeaders = [
  'X-Original-URL',
  'x-original-url',
  'X_Original_URL',
  'X-Rewrite-Url',
  'X-Other',
  'Cookie',
  'cookie',
];

/** Escapes characters of a quoted cookie, sometimes in a way that no server decodes. */
function quotedCookie(random: Random, text: string): string {
  const octal = (character: string) =>
    `\\${character
      .charCodeAt(0)
      .toString(8)
      .padStart(random.pick([3, 3, 3, 2]), '0')}`;
  const written = (character: string) => (random.oneIn(4) ? `\\${character}` : octal(character));
  const inside = [...text].map((character) => (random.oneIn(4) ? written(character) : character)).join('');
  return `${random.oneIn(8) ? '' : '"'}${inside}${random.oneIn(8) ? '' : '"'}`;
}

/** Returns cookies with quotation marks, escapes, blanks and semicolons in places where servers read them differently. */
function randomCookies(random: Random, value: Value): string {
  const key = () => random.pick(['a', 'lang', 'x y', '', '"', 'a=b', ...fileKeys]);
  const text = () => random.pick([value(), random.pick(fileNames), `x;${value()}`, jsonParameter(random, value)]);
  const equals = () => random.pick(['=', '=', '=', ' =', '= ', '=\t', '']);
  const separator = () => random.pick(['; ', '; ', ';', ' ;', ' ', ',', '']);
  const cookie = () => key() + equals() + (random.oneIn(3) ? text() : quotedCookie(random, text())) + separator();
  const many = random.oneIn(30) ? Array.from({ length: random.pick([85, 128, 300]) }, (_, i) => `k${i}="\\v";`) : [];
  return [...many, ...random.several(1, 5, cookie)].join('');
}

const headerForms: readonly ((value: Value, random: Random) => string)[] = [
  (value) => value(),
  (value) => ` ${value()}`,
  (value) => `a=${value()}; b=${value()};c=x&${value()}`,
  (value, random) => randomCookies(random, value),
  (value, random) => `/static/${value()}?${randomForm(random, value)}`,
];

const randomForwarded = (random: Random): string =>
  random.oneIn(2) ? forwardedText(random) : random.pick(forwardedHeaders);

export function randomHeaders(random: Random, value: Value): [string, string][] {
  return random.several(0, 3, () =>
    random.oneIn(3)
      ? ['X-Forwarded-For', random.several(1, 4, () => randomForwarded(random)).join(',')]
      : [random.pick(urlHeaders), random.pick(headerForms)(() => encodeSome(random, value()), random)],
  );
}

export const peers = ['10.0.0.9', '127.0.0.1', '2001:db8::9', '::ffff:10.0.0.8', '8.8.4.4', 'unix', ''];
export const hosts = [
  ...['example.org', 'a.example.org', 'A.Example.org', 'a.example.org:8080', 'a.example.org.', 'a.example.org.:80'],
  ...['a.example.org..', 'a.example.org:', 'a.example.org:x', 'b:a.example.org', 'a.example.org:1:2', '.example.org'],
  ...['other.test', '[::1]', '[::1]:80', '[2001:db8::1]', '127.0.0.1:8080', 'a_b.example.org', 'x@a.example.org', ''],
];
