/** Random queries, headers and bodies that contain a hostile value. */
import { forwardedText } from './clients.ts';
import { encodeSome, randomBase64 } from './encodings.ts';
import type { Random } from './random.ts';

type Value = () => string;

const jsonEscapes: readonly ((code: number) => string)[] = [
  (code) => `\\u${code.toString(16).padStart(4, '0')}`,
  (code) => `\\${String.fromCharCode(code)}`,
  () => '\\ud83d\\ude00',
  () => '\\uD800',
  () => '\\u12',
  () => '\\',
];

function jsonString(random: Random, text: string): string {
  const escaped = (character: string) => random.pick(jsonEscapes)(character.charCodeAt(0));
  const inside = [...text].map((character) => (random.oneIn(8) ? escaped(character) : character)).join('');
  return `"${inside}${random.oneIn(15) ? '' : '"'}`;
}

const nestedJson = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

const jsonItems: readonly ((text: Value) => string)[] = [
  (text) => text(),
  (text) => `"${btoa(text())}"`,
  () => '1',
  () => 'null',
  () => '""',
  (text) => `${text()} // "`,
  (text) => `{"k":${text()}}`,
  (text) => nestedJson(`{"k":${text()}}`),
  (text) => nestedJson(` \n[1, ${text()},${nestedJson(`[${text()}]`)}]`),
  (text) => nestedJson(`[ ] x ${text()}`),
];

function randomJson(random: Random, value: Value): string {
  const item = () => random.pick(jsonItems)(() => jsonString(random, value()));
  return `[${random.several(0, 5, item).join(',')}]`;
}

const innerEscapes: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replace(/["[{:&]/g, (character) => `%${character.charCodeAt(0).toString(16)}`),
  (text) => text.replaceAll('"', '%u0022').replaceAll(' ', '+'),
  (text) => ` %0A+\n${text}`,
];

const innerWords = (random: Random) => `["${'a","'.repeat(random.pick([1, 100, 300]))}"]`;

/** Returns JSON that is the value of a parameter: a few strings, or many words. */
const jsonParameter = (random: Random, value: Value) =>
  random.pick(innerEscapes)(
    random.oneIn(20)
      ? innerWords(random)
      : random.pick([randomJson(random, value), `{"a":${randomJson(random, value)}}`]),
  );

/** Keys that some server reads as `file`, and near misses. */
const fileKeys = [
  ...['file', '%66ile', 'FI%4cE', 'file[]', 'file%5Bx%5d', '[file]', ']file', '+file', '%20+file', 'file%00x'],
  ...['%u0066ile', '%2bfile', 'file+', '%2566ile', 'profile', 'x[file]', 'file.x', '%09file', 'file\0', 'fi%le'],
];
const fileNames = ['passwd', 'p%61sswd', 'install.php', '../', 'index.php', '+passwd', 'passwd;x'];

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

const xmlReferences: readonly ((code: number) => string)[] = [
  (code) => `&#${code};`,
  (code) => `&#x00${code.toString(16)};`,
  () => '&lt;&amp;#46;&quot;',
  () => '&#xD800;&#1114112;&#x;',
  () => '&#46',
  () => '&sol;',
];

const xmlItems: readonly ((text: Value) => string)[] = [
  (text) => `<a>${text()}</a>`,
  (text) => `<a:b c="${text()}" d = '${text()}'/>`,
  (text) => `<a b="${text()}>${text()}`,
  (text) => `<![CDATA[${text()}]]>`,
  (text) => `<a>${text()}<b>${text()}</b>${text()}</a>`,
  (text) => `<a>${text().slice(0, 9)}<b/>${text().slice(9)}`,
  (text) => `<a>id_<b>${text()}</b>rsa`,
  (text) => text(),
  (text) => `<!-- ${text()} -->`,
  (text) => `<?x ${text()}?>`,
  (text) => `<!DOCTYPE a [<!ENTITY b '${text()}"'><!-- ' -->]>`,
  (text) => `<!ENTITY % b "<!ENTITY c SYSTEM '${text()}'>">`,
  (text) => `<!ENTITY b '&#38;#60;!ENTITY c SYSTEM &#34;${text()}&#34;>`,
  () => `\n  `,
  () => '<?xml version="1.0" encoding="utf-7"?>',
];

const xmlMarks = '< > " \' = <!-- --> -- <? ?> ]]> <![CDATA[ <! [ / \0'.split(' ');

/** Returns an XML document. Some items are followed by markup that changes the meaning of the next item. */
function randomXml(random: Random, value: Value): string {
  const referenced = (character: string) => random.pick(xmlReferences)(character.charCodeAt(0));
  const text = () => [...value()].map((character) => (random.oneIn(8) ? referenced(character) : character)).join('');
  const item = () => `${random.pick(xmlItems)(text)}${random.oneIn(12) ? random.pick(xmlMarks) : ''}`;
  return `${random.oneIn(10) ? '\xef\xbb\xbf' : ''}<a>${random.several(0, 6, item).join('')}${random.oneIn(5) ? '' : '</a>'}`;
}

const partHeads: readonly ((value: string) => string)[] = [
  (value) => `Content-Disposition: form-data; name="${value}"`,
  (value) => `content-disposition: form-data; name=a; filename="${value}"`,
  (value) => `Content-Disposition:form-data;name=a;filename*=UTF-8''${value}`,
  (value) => `X-Other: 1\r\nContent-Disposition: form-data; filename=${value}; name="\\"q\\\\`,
  (value) => `Content-Disposition: form-data; name=a; filename="b"; filename="${value}"`,
  (value) => `Content-Disposition: x; name=a; filename=b\r\ncontent-disposition : x; name='${value}', b; filename=`,
  (value) => `Content-Disposition: x; name="a;\r\n\tfilename*0*=utf-8'en'${value}; x="`,
  (value) => `Content-Disposition: x; filename="b; name=\\"${value}; filename=b; filename*=utf-8''b`,
  () => 'Content-Type: text/plain',
  () => 'Content-Type: text/plain; charset=utf-16\r\nContent-Disposition: form-data; name=a',
  (value) =>
    `Content-Disposition: form-data; name=a\r\ncontent-type: text/plain;\r\n charset="${value}"; charset=utf-8`,
  () => 'Content-Disposition: form-data; name="_charset_"',
  () => 'Content-Disposition: form-data; name=a\r\nContent-Type: application/json',
  () => 'Content-Disposition: form-data; name=" FILE[x]"',
  () => 'Content-Disposition: form-data; name="file"',
  () => 'Content-Disposition: form-data; name=a; filename="a.json"\r\nContent-Type: application/json',
];

const partContents: readonly ((random: Random, value: Value) => string)[] = [
  (_, value) => value(),
  (_, value) => value(),
  (random) => random.pick(fileNames),
  (random, value) => randomJson(random, value),
  (random, value) => ` \n{"%22":${jsonString(random, value())}}`,
  (random) => innerWords(random).replaceAll('a', 'a/b'),
];

const lineEnds = ['\r\n', '\n', '\r', '', ' \r\n', '\r\n\r\n'];
const transferEncodings = ['quoted-printable', ' BASE64; x', '8bit', '"Quoted-Printable", base64'];

function quotedPrintable(random: Random, text: string): string {
  const quoted = (character: string) => `=${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
  const written = [...text].map((character) => (random.oneIn(3) ? quoted(character) : character));
  return written.join(random.oneIn(4) ? random.pick(['=\r\n', '= \n', ' \t\n', '=']) : '');
}

/** Returns the content after its Content-Transfer-Encoding, which is sometimes wrong. */
function encodedContent(random: Random, text: string): string {
  const name = random.pick(transferEncodings);
  const base64 = btoa(text);
  const stray = random.oneIn(4) ? `${base64.slice(0, 2)}=${base64.slice(2)}=${base64}` : base64;
  return `Content-Transfer-Encoding:${name}\r\n\r\n${random.pick([quotedPrintable(random, text), stray, text])}`;
}

/**
 * Returns a multipart form. Half of the forms have regular line ends and boundaries. Servers differ in how they parse
 * those of the other half.
 */
function randomMultipart(random: Random, value: Value, boundary: string): string {
  const isOdd = random.oneIn(2);
  const line = random.oneIn(4) ? '\n' : '\r\n';
  const end = () => (isOdd && random.oneIn(5) ? random.pick(lineEnds) : line);
  const tail = () => (isOdd && random.oneIn(6) ? random.pick(['X', '--', '--X', '-', `--${boundary}`]) : '');
  const text = () => random.pick(partContents)(random, value);
  const content = () => (random.oneIn(5) ? encodedContent(random, text()) : `${random.oneIn(3) ? '' : line}${text()}`);
  const part = () => `--${boundary}${tail()}${end()}${random.pick(partHeads)(value())}${end()}${content()}${end()}`;
  const last = random.oneIn(4) ? '' : `--${boundary}--${end()}${isOdd && random.oneIn(3) ? part() : ''}`;
  return `${random.oneIn(5) ? line : ''}${random.several(0, 4, part).join('')}${last}`;
}

const wordChoices = ['a', 'b c', '1.5', 'x@y.z', '', 'a.', 'a ', 'a/b', 'config', '.env', 'é', 'a\n', 'q?', '.git'];

/**
 * Returns words that mostly match no rule. In about one of ten calls the number of words is close to a limit or beyond
 * it.
 */
function randomWords(random: Random): string[] {
  const word = random.pick(wordChoices);
  const many = random.oneIn(10) ? Array<string>(random.pick([1000, 1023, 1024, 1025, 3000])).fill(word) : [];
  return [...many, ...random.several(0, 40, () => random.pick(wordChoices))];
}

export type Message = { headers: [string, string][]; body: string };

const boundaries = ['b', 'X-1.(2)', 'a b', ' b', '-', 'y'.repeat(70), 'y'.repeat(71)];

const bodies: readonly ((random: Random, value: Value) => [type: string, body: string])[] = [
  (random, value) => ['application/x-www-form-urlencoded', randomForm(random, value)],
  (random, value) => [' Application/X-WWW-form-urlencoded ; charset=x', randomForm(random, value)],
  (random, value) => ['application/json', randomJson(random, value)],
  (random, value) => ['application/ld+json;a="b\\"c"', randomJson(random, value)],
  (_, value) => ['text/plain', value()],
  (random, value) => [
    random.pick(['text/plain', '', 'text/json', ';a=b']),
    random.pick([randomJson, randomForm])(random, value),
  ],
  (random, value) => ['application/connect+json', randomJson(random, value)],
  (random, value) => [random.pick(['text/xml', 'Application/SOAP+XML; charset=utf-8']), randomXml(random, value)],
  (random, value) => ['application/xml', randomXml(random, value)],
  (random, value) => {
    const boundary = random.pick(boundaries);
    const quoted = random.oneIn(2) || /[^\w.-]/.test(boundary) ? `"${boundary}"` : boundary;
    return [`multipart/form-data; boundary=${quoted}`, randomMultipart(random, value, boundary)];
  },
  (random) => [
    'application/json',
    `[${randomWords(random)
      .map((word) => `"${word}"`)
      .join(',')}]`,
  ],
  (random) => ['application/x-www-form-urlencoded', randomWords(random).join('&')],
  (random) => [
    'text/xml',
    randomWords(random)
      .map((word) => `<a b="${word}">`)
      .join('\n'),
  ],
];

const otherTypes: readonly string[] = [
  'text/plain',
  'application/json;',
  'text/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=A',
  'multipart/form-data; Boundary = A B, x/y; xboundary="b\\.";boundary',
  `multipart/form-data${[...'abcdefgh'].map((name) => `; boundary=${name}`).join('')}`,
  'a/b; boundary="b',
  "a/b; boundary='b'; boundary*=utf-8''b",
  '\fapplication/json\t',
  ',',
  'a/b; charset=utf-16',
  'a/b; charset="UTF-8"; charset*=x',
];

/** Returns the values of Content-Type: the type alone, or with other types, in one value or in one value for each. */
function randomTypes(random: Random, type: string): string[] {
  if (random.oneIn(2)) return [type];
  const types = [...random.several(0, 2, () => random.pick(otherTypes)), type];
  if (random.oneIn(2)) types.push(random.pick(otherTypes));
  return random.oneIn(2) ? types : [types.join(random.pick([',', ', ', ';', '; a="b,']))];
}

function withBinaryBytes(random: Random, text: string): string {
  const other = () => random.pick(['', '', '\x00', '\xff', '\x7f\x80', '\x1f\x8b/../', '%2e']);
  return `${other()}${text}${other()}${random.oneIn(3) ? text : ''}${other()}`;
}

/** Returns a body with its headers. The type can be ambiguous or absent. Some bodies have a Content-Encoding. */
export function randomBody(random: Random, value: Value): Message {
  const isCoded = random.oneIn(10);
  const [type, body] = random.pick(bodies)(random, isCoded ? () => withBinaryBytes(random, value()) : value);
  const types = random.oneIn(20) ? [] : randomTypes(random, type);
  const headers = types.map((each): [string, string] => [random.oneIn(4) ? 'content-type' : 'Content-Type', each]);
  if (isCoded) headers.push(['Content-Encoding', random.pick(['gzip', 'gzip', 'identity', ' Identity ', ''])]);
  return { headers, body };
}

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
