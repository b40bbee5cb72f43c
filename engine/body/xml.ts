/**
 * Scans the values of XML. It is not a parser: parsers refuse different bodies, and the guard must inspect every body
 * that some backend accepts.
 */
import { asciiCharsets } from '../../contract/policy/charsets.ts';
import { strip } from '../bytes.ts';
import { type Piece, pieceOf } from '../piece.ts';
import { blanks, Elements } from './xml-elements.ts';
import { dereferenced, hasOtherReference, innerTexts } from './xml-references.ts';

/** A scanned construct that ends before `end`. `isUnambiguous`: every parser finds the same values in it. */
interface Markup {
  readonly end: number;
  readonly text: string;
  readonly isUnambiguous: boolean;
}

/** True when an XML declaration names an encoding outside of `asciiCharsets`: ASCII text may then have other bytes. */
function hasUnknownEncoding(instruction: string): boolean {
  const name = /encoding[ \t\r\n]*=[ \t\r\n]*["']([^"']*)/.exec(instruction)?.[1];
  return instruction.startsWith('xml') && name !== undefined && !asciiCharsets.includes(name.toLowerCase());
}

const sections: readonly (readonly [open: string, close: string, text: (inside: string) => string])[] = [
  ['<!--', '-->', () => ''],
  ['<?', '?>', () => ''],
  ['<![CDATA[', ']]>', (inside) => inside.replaceAll('&', '&amp;')],
];

/** Scans a comment, a processing instruction or a CDATA section. An unterminated one extends to the end of the body. */
function sectionAt(body: string, at: number): Markup | undefined {
  for (const [open, close, textOf] of sections) {
    if (!body.startsWith(open, at)) continue;
    const found = body.indexOf(close, at + open.length);
    const inside = body.slice(at + open.length, found < 0 ? body.length : found);
    const isAmbiguous = (open === '<!--' && inside.includes('--')) || (open === '<?' && hasUnknownEncoding(inside));
    const end = found < 0 ? body.length : found + close.length;
    return { end, text: textOf(inside), isUnambiguous: found >= 0 && !isAmbiguous };
  }
  return undefined;
}

/**
 * Yields the values in a tag, and the literals in a declaration: servers read the file that an external entity names.
 * The next tag ends a declaration, so its internal subset is scanned like any other text.
 */
function* tagAt(body: string, at: number): Generator<string, Markup> {
  const isDeclaration = body.startsWith('<!', at);
  const stop = /["'<>]/g;
  let isUnambiguous = !isDeclaration && /[^ \t\r\n<>"'=]/y.test(body.charAt(at + 1));
  for (let from = at + 1; ; ) {
    stop.lastIndex = from;
    const found = stop.exec(body);
    if (!found) return { end: body.length, text: '', isUnambiguous: false };
    const { 0: mark, index } = found;
    const outside = body.slice(from, index);
    if (mark === '<') return { end: index, text: '', isUnambiguous: false };
    if (mark === '>') return { end: index + 1, text: '', isUnambiguous: isUnambiguous && !outside.includes('=') };
    isUnambiguous &&= /^[^=]*=[ \t\r\n]*$/.test(outside);
    const close = body.indexOf(mark, index + 1);
    yield body.slice(index + 1, close < 0 ? body.length : close);
    if (close < 0) return { end: body.length, text: '', isUnambiguous: false };
    from = close + 1;
  }
}

/**
 * Yields values without blanks at their ends, before references are decoded. Returns whether every parser finds the
 * same values. Adds the literals of declarations to `literals`.
 */
function* rawValues(body: string, elements: Elements, literals: string[]): Generator<string, boolean> {
  const start = body.startsWith('\xef\xbb\xbf') ? 3 : 0;
  let isUnambiguous = !body.includes('\0') && /[ \t\r\n]*</y.test(body.slice(start));
  let text = '';
  for (let at = start; at < body.length; ) {
    const found = body.indexOf('<', at);
    const open = found < 0 ? body.length : found;
    text += body.slice(at, open);
    if (found < 0) break;
    let markup = sectionAt(body, open);
    if (markup) text += markup.text;
    else {
      elements.text(text);
      yield strip(text, blanks);
      text = '';
      const values = tagAt(body, open);
      let next = values.next();
      for (; !next.done; next = values.next()) {
        if (body.startsWith('<!', open)) literals.push(next.value);
        yield strip(next.value, blanks);
      }
      markup = next.value;
      const tag = body.slice(open, markup.end);
      if (tag.startsWith('</')) elements.end();
      else if (!tag.startsWith('<!') && !tag.endsWith('/>')) elements.start();
    }
    isUnambiguous &&= markup.isUnambiguous;
    at = markup.end;
  }
  elements.text(text);
  yield strip(text, blanks);
  elements.finish();
  return isUnambiguous;
}

/** True when every parser finds the same values. A document type and other references can change them. */
export function isXml(body: string): boolean {
  const values = rawValues(body, new Elements(), []);
  for (let next = values.next(); ; next = values.next()) {
    if (next.done) return next.value;
    if (hasOtherReference(next.value)) return false;
  }
}

/** Yields attribute values, literals and texts, then texts in literals, then joined texts. */
export function* xmlPieces(body: string): Generator<Piece> {
  const elements = new Elements();
  const literals: string[] = [];
  for (const value of rawValues(body, elements, literals)) yield pieceOf(dereferenced(value));
  for (const text of literals.flatMap(innerTexts)) yield pieceOf(strip(text, blanks));
  const last = elements.isCut ? elements.joined.length - 1 : -1;
  for (const [index, value] of elements.joined.entries())
    yield { ...pieceOf(dereferenced(value)), isCut: index === last };
}
