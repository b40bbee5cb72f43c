/** Random hostile targets: from a grammar, and by mutation of known targets. */
import { encodeSome, percentEncoded, randomBase64 } from './encodings.ts';
import type { Random } from './random.ts';

const separators = [
  '/',
  '/',
  '/',
  '//',
  '\\',
  '/./',
  '/../',
  '\\..\\',
  '/.;/',
  '/..;x/',
  ';/',
  '\xef\xbc\x8f',
  '\xe2\x88\x95',
  '/%2f',
  '/\t',
  '/..//',
  '//..//..//',
  '/..\\\\..\\\\',
  '/.//',
  '/(S(x))/',
  '/(A(b)f())/(s(',
  '/(abcdefghijklmnopqrstuvWX)/',
  '/index.php/',
  '/App_Dev.FCGI/',
  ';x/',
];
const pathWords = [
  'static',
  'etc',
  'passwd',
  '.env',
  '.git',
  'config',
  'index.php',
  'web-inf',
  'a',
  'B',
  '...',
  '..',
  '.',
  'wp-config.php~',
  'x.bak',
  'robots.txt',
  '.well-known',
  'dump.sql',
  'id_rsa',
  'backup.zip',
  'api',
  'v1.2',
  'con',
  'proc',
  'win.ini',
  'index.php',
  'main.pl',
  'less.php',
  '(S(x))',
];
const pathTails = [
  '',
  '',
  '',
  '/',
  '.',
  '. .',
  '::$DATA',
  ':$i30',
  ';.css',
  '#x',
  '?a=b',
  '?file=passwd&file=../',
  '\0.jpg',
  '%00.png',
  '%23',
  '%3f',
  ' ',
  '%20',
  '~',
  '?',
  '\r',
  '%0a',
  '//',
  '/./',
  '\xa0',
  '\x85/x',
  '%80',
  ';/..',
  '\xe2\x80\x8b',
  '%c2%a0',
  ' %e3%80%80 ',
];
/** Starts that servers read as an authority, or remove as white space. */
const prefixes = [
  '',
  '',
  '',
  '',
  'http://h',
  'HTTPS://user@h:8',
  'x+y-z.1://',
  '*',
  'h:443',
  '.',
  '/',
  '?',
  'http:/',
  '//x',
  '/\\x',
  '///u@x:80',
  '\\\\',
  '%2f/x',
  '\xc2\xa0',
  '%e2%80%8b ',
  '%f0%9d%85%b3',
  '\xe1\x85\xa0',
  '%e2%80%aa',
  ' \xef\xbb\xbf',
];
/** Bytes that the engine treats specially. */
const noiseBytes =
  '/\\.%;:$#?&=+~ uU0aAeEfF25cC\0\t\n\x1f\x7f\x80\x81\x85\xa0\xa4\xae\xaf\xbc\xbf\xc0\xc1\xdc\xe0\xe2\xef\xf0\xf8\xfc\xff';

function randomPath(random: Random): string {
  const segments = random.several(1, 6, () => random.pick(separators) + random.pick(pathWords));
  return random.pick(prefixes) + segments.join('') + random.pick(pathTails);
}

function noisyTarget(random: Random): string {
  return `${random.oneIn(3) ? '' : '/'}${random.several(0, 40, () => random.pick([...noiseBytes])).join('')}`;
}

/** Returns a target near a limit: with many bytes, many rounds of encoding, or many possible decodings. */
function extremeTarget(random: Random): string {
  const unit = random.pick(['a', '%2e', './', '\\;', '%25', '/%c0%ae', 'é/. ', ';x/\x01']);
  const length = random.pick([40, 500, 4095, 4096, 4097, 9000]);
  const nested = `/%${'25'.repeat(random.integer(9))}2e`;
  return random.oneIn(3) ? nested : `/${unit.repeat(Math.ceil(length / unit.length)).slice(0, length - 1)}`;
}

const mutations: readonly ((random: Random, text: string) => string)[] = [
  encodeSome,
  encodeSome,
  (random, text) => percentEncoded(text, random),
  randomBase64,
  (random, text) => splice(random, text, random.pick([...noiseBytes])),
  (random, text) => splice(random, text, random.pick(separators)),
  (random, text) => splice(random, text, random.pick(pathTails)),
  (random, text) => splice(random, text, text.slice(random.integer(text.length + 1))),
  (_, text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  (_, text) => text.replaceAll('/', '\\'),
  (random, text) => text.slice(0, random.integer(text.length + 1)),
  (random, text) => random.pick(prefixes) + text,
];

/** Inserts `piece` at a random position. Half of the time it replaces a byte. */
function splice(random: Random, text: string, piece: string): string {
  const at = random.integer(text.length + 1);
  return text.slice(0, at) + piece + text.slice(at + random.integer(2));
}

export function mutateTarget(random: Random, text: string): string {
  return random
    .several(1, 3, () => random.pick(mutations))
    .reduce((result, mutation) => mutation(random, result), text);
}

/** Returns a random target. @param known the targets to mutate */
export function randomTarget(random: Random, known: readonly string[]): string {
  const kind = random.integer(20);
  if (kind < 8) return encodeSome(random, randomPath(random));
  if (kind < 14) return mutateTarget(random, random.pick(known));
  if (kind < 16) return randomPath(random);
  if (kind < 19) return noisyTarget(random);
  return random.oneIn(15) ? extremeTarget(random) : mutateTarget(random, randomPath(random));
}
