/**
 * The text of elements that have text and other elements in them. Readers join it: XPath and the DOM with the text of the
 * inner elements, Go's `encoding/xml` and SimpleXML without it.
 */
import { limits } from '../contract/policy/limits.ts';
import { strip } from './bytes.ts';

/** Blanks of XML. */
export const blanks = ' \t\r\n';

const isBlank = (text: string) => strip(text, blanks) === '';

interface Element {
  /** Its text, without that of inner elements. */
  readonly own: string[];
  /** How many of them are not blank. */
  filled: number;
  /** Index of its first text, and how many texts before it are not blank. */
  readonly first: number;
  readonly filledBefore: number;
}

/** Collects what a scanner finds, in order; an end without a start is ignored. */
export class Elements {
  /** Joined texts. The last is cut where all of them are longer than `limits.xmlJoinedBytes`. */
  readonly joined: string[] = [];
  isCut = false;
  #left: number = limits.xmlJoinedBytes;
  #filled = 0;
  readonly #texts: string[] = [];
  readonly #open: Element[] = [];

  start(): void {
    this.#open.push({ own: [], filled: 0, first: this.#texts.length, filledBefore: this.#filled });
  }

  text(text: string): void {
    const element = this.#open.at(-1);
    if (!element || text === '') return;
    element.own.push(text);
    this.#texts.push(text);
    if (isBlank(text)) return;
    element.filled += 1;
    this.#filled += 1;
  }

  end(): void {
    const element = this.#open.pop();
    if (!element || element.filled === 0) return;
    if (element.filled > 1) this.#join(element.own, 0);
    if (this.#filled - element.filledBefore > element.filled) this.#join(this.#texts, element.first);
  }

  /** Ends all elements. */
  finish(): void {
    while (this.#open.length > 0) this.end();
  }

  #join(texts: readonly string[], first: number): void {
    if (this.isCut) return; // before the texts are copied: a hostile document has thousands of elements in each other
    const whole = texts.slice(first).join('');
    this.isCut = whole.length > this.#left;
    this.joined.push(strip(whole.slice(0, this.#left), blanks));
    this.#left -= whole.length;
  }
}
