/**
 * Joins the text of an element. XPath and the DOM include the text of inner elements; `encoding/xml` and SimpleXML
 * leave it out.
 */
import { limits } from '../../contract/policy/limits.ts';
import { strip } from '../bytes.ts';

/** White space of XML. */
export const blanks = ' \t\r\n';

const isBlank = (text: string) => strip(text, blanks) === '';

interface Element {
  /** Texts directly in the element, without those of inner elements. */
  readonly own: string[];
  /** Number of these texts that are not blank. */
  filled: number;
  /** Index of the element's first text in the document, and how many texts before it are not blank. */
  readonly first: number;
  readonly filledBefore: number;
}

/** Collects the tags and texts that a scanner finds, in order. Ignores an end tag without a start tag. */
export class Elements {
  /** Joined texts. The last one is cut when all of them exceed `limits.xmlJoinedBytes`. */
  readonly joined: string[] = [];
  isCut = false;
  #bytesLeft: number = limits.xmlJoinedBytes;
  #filledTexts = 0;
  readonly #texts: string[] = [];
  readonly #open: Element[] = [];

  start(): void {
    this.#open.push({ own: [], filled: 0, first: this.#texts.length, filledBefore: this.#filledTexts });
  }

  text(text: string): void {
    const element = this.#open.at(-1);
    if (!element || text === '') return;
    element.own.push(text);
    this.#texts.push(text);
    if (isBlank(text)) return;
    element.filled += 1;
    this.#filledTexts += 1;
  }

  end(): void {
    const element = this.#open.pop();
    if (!element || element.filled === 0) return;
    if (element.filled > 1) this.#join(element.own, 0);
    if (this.#filledTexts - element.filledBefore > element.filled) this.#join(this.#texts, element.first);
  }

  /** Closes all open elements. */
  finish(): void {
    while (this.#open.length > 0) this.end();
  }

  #join(texts: readonly string[], first: number): void {
    if (this.isCut) return; // before copying texts: a hostile document nests thousands of elements
    const whole = texts.slice(first).join('');
    this.isCut = whole.length > this.#bytesLeft;
    this.joined.push(strip(whole.slice(0, this.#bytesLeft), blanks));
    this.#bytesLeft -= whole.length;
  }
}
