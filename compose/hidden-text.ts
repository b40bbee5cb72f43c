/** Replaces a secret in a text that arrives in pieces. */
export class HiddenText {
  readonly #secret: string;
  /** The end of the text so far, which may be the beginning of the secret. */
  #kept = '';

  /** @param secret the empty text: nothing is replaced */
  constructor(secret: string) {
    this.#secret = secret;
  }

  /** Returns what can be shown after a piece. */
  add(piece: string): string {
    const text = this.hide(this.#kept + piece);
    this.#kept = this.#beginningAtEndOf(text);
    return text.slice(0, text.length - this.#kept.length);
  }

  /** Returns what was kept back, after the last piece. */
  flush(): string {
    const kept = this.#kept;
    this.#kept = '';
    return kept;
  }

  readonly hide = (text: string): string => (this.#secret === '' ? text : text.replaceAll(this.#secret, '***'));

  #beginningAtEndOf(text: string): string {
    for (let length = this.#secret.length - 1; length > 0; length -= 1) {
      const beginning = this.#secret.slice(0, length);
      if (text.endsWith(beginning)) return beginning;
    }
    return '';
  }
}
