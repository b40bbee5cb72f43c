/** Bodies of 64 KiB: of normal clients, and the most expensive ones. */
const bodyBytes = 65_536;

const sentences = [
  'The quick brown fox jumps over the lazy dog, and the dog does not mind.',
  'Please send the invoice for March to the new address; the old one is closed.',
  'It was, she said, a rather nice day: was it not?',
  'Caf\u00e9 M\u00fcller opens at 9 (10 on Sundays).',
  'We would like to change our booking to two rooms with breakfast!',
  'See https://example.org/help/orders?id=42#refund for details.',
];

/** Concatenates `head`, as many results of `part` as fit into 64 KiB, and `tail`. */
export function filledText(part: (index: number) => string, head = '', tail = ''): string {
  const parts = [head];
  let length = head.length + tail.length;
  for (let index = 0; ; index++) {
    const next = part(index);
    length += Buffer.byteLength(next);
    if (length > bodyBytes) return parts.join('') + tail;
    parts.push(next);
  }
}

const sentence = (index: number): string => sentences[index % sentences.length] ?? '';
const paragraph = (index: number): string => `${sentence(index)} ${sentence(index + 1)}\n${sentence(index + 2)}`;

const jsonRecord = (index: number): string =>
  JSON.stringify({
    id: index,
    key: `5f0c-${index}-a1b2`,
    title: sentence(index),
    text: paragraph(index),
    url: `https://example.org/articles/${index}?lang=en`,
    mail: `user${index}@example.org`,
    on: '2026-03-01T10:20:30.000Z',
    price: index / 8,
    tags: ['one', 'two three'],
  });

const xmlElement = (index: number): string =>
  `<item id="${index}" key="5f0c-${index}-a1b2"><title>${sentence(index)}</title><text lang="en">${paragraph(index).replaceAll('&', '&amp;')}</text></item>`;

const formField = (index: number): string =>
  `${new URLSearchParams({ [`items[${index}][title]`]: sentence(index), [`items[${index}][text]`]: paragraph(index) })}&`;

export interface Body {
  readonly name: string;
  readonly type: string;
  readonly text: string;
  readonly isHonest: boolean;
  /** Whether a rule matches the end of the body. */
  readonly isMatched?: boolean;
}

export const json = 'application/json';
export const xml = 'application/xml';
export const form = 'application/x-www-form-urlencoded';
const multipart = 'multipart/form-data; boundary=b';

const multipartPart = (head: string, content: string, end = '\r\n'): string =>
  ['--b', `Content-Disposition: form-data; ${head}`, '', `${content}${end}`].join(end);

const base64Line = 'Content-Transfer-Encoding: base64';

export const hostileForm: Body = {
  name: 'hostile form',
  type: form,
  text: filledText(() => 'a=x.%255c%2e+\\x&'),
  isHonest: false,
};

export const bodies: readonly Body[] = [
  { name: 'JSON', type: json, text: filledText((index) => `${jsonRecord(index)},`, '[', '0]'), isHonest: true },
  { name: 'form', type: form, text: filledText(formField), isHonest: true },
  {
    name: 'prose',
    type: json,
    text: JSON.stringify({ text: filledText(paragraph, '', ' '.repeat(4096)) }),
    isHonest: true,
  },
  {
    name: 'prose in a form',
    type: form,
    text: filledText(
      (index) => `${index === 0 ? 'text=' : ''}${encodeURIComponent(paragraph(index)).replaceAll('%20', '+')}`,
    ),
    isHonest: true,
  },
  { name: 'XML', type: xml, text: filledText(xmlElement, '<?xml version="1.0"?><items>', '</items>'), isHonest: true },
  hostileForm,
  {
    name: 'hostile JSON',
    type: json,
    text: filledText(() => '"x\\u002e\\\\x%2541;/.",', '[', '0]'),
    isHonest: false,
  },
  { name: 'hostile text', type: json, text: `"${filledText(() => '%2541\\\\..;/x//', '', '"')}`, isHonest: false },
  {
    name: 'hostile XML',
    type: xml,
    text: filledText(() => '<a b="x.%255c%2e\\x&#46;">&#x2e;x/;</a>'),
    isHonest: false,
  },
  {
    name: 'multipart form',
    type: multipart,
    text: filledText((index) => multipartPart(`name="text[${index}]"`, paragraph(index)), '', '--b--\r\n'),
    isHonest: true,
  },
  {
    name: 'file in a multipart form',
    type: multipart,
    text: `${multipartPart('name=f; filename="a.txt"', filledText(paragraph, '', ' '.repeat(256)))}--b--\r\n`,
    isHonest: true,
  },
  {
    name: 'hostile multipart form',
    type: multipart,
    text: filledText((index) => multipartPart(`name="${index}\\x"; name*=a''b`, 'x.%255c%2e\\x'), '', '--b--\r\n'),
    isHonest: false,
  },
  {
    name: 'hostile multipart form that servers divide differently',
    type: multipart,
    text: filledText(
      (index) => multipartPart(`name="${index}\\x"`, 'x.%255c%2e\\x--b', '\n'),
      `${base64Line}, quoted-printable\r\r`,
    ),
    isHonest: false,
  },
  {
    name: 'multipart form of empty parts',
    type: multipart,
    text: filledText(() => '--b\n', base64Line),
    isHonest: false,
  },
  {
    name: 'multipart form without line ends',
    type: multipart,
    text: filledText(() => '--b=2e=2E', `--b\n${base64Line}, quoted-printable\r\r`),
    isHonest: false,
  },
  { name: 'XML without values', type: xml, text: filledText(() => '<'), isHonest: false },
];

/** For each type, the separator of its values, and a last value that a rule matches. */
const matchedEnds: Readonly<Record<string, readonly [separator: string, end: string]>> = {
  [json]: [',"', ',"../../etc/passwd"]'],
  [form]: ['&', '&a=../../etc/passwd'],
  [xml]: ['<a', '<a>../../etc/passwd</a>'],
};

/** Returns the hostile bodies of the types in `matchedEnds`, each with a last value that a rule blocks. */
export const withMatches = (all: readonly Body[]): Body[] =>
  all.flatMap((body) => {
    const [separator = '', end = ''] = matchedEnds[body.type] ?? [];
    const cut = body.text.lastIndexOf(separator, bodyBytes - end.length);
    if (body.isHonest || separator === '' || cut < 0) return [];
    const text = body.text.slice(0, cut) + end;
    return { ...body, name: `${body.name}, a match at the end`, text, isMatched: true };
  });
