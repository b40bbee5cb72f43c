/** Random bodies that contain a hostile value. */
import { randomBase64 } from './encodings.ts';
import { fileNames, innerWords, jsonString, randomForm, randomJson, type Value } from './parameters.ts';
import type { Random } from './random.ts';

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
  (value) =>
    `Content-Disposition: form-data; name="=?utf-8?q?${value}?="; filename="=?x?B?${btoa(value)}?= =?x?Q?=2e?="`,
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
  (random, value) => randomBase64(random, randomJson(random, value)),
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
