/**
 * Finds the end of a message that a line with nothing but a dot ends (RFC 5321 4.1.1.4, RFC 1939 3). Bytes between lines
 * that begin with a dot are passed by one search.
 */

const dot = 0x2e;
const cr = 0x0d;
const lf = 0x0a;

/** What has been seen just before the next byte. `bare`: behind a line feed without its carriage return. */
type Place = 'text' | 'cr' | 'line' | 'bareLine' | 'dot' | 'dotCr' | 'bareDot' | 'bareDotCr';
/** `odd`: an end for some servers and text for others; commands are smuggled behind it. */
type Step = Place | 'end' | 'odd';

const afterText = (byte: number): Place => (byte === cr ? 'cr' : byte === lf ? 'bareLine' : 'text');

const steps: Readonly<Record<Place, (byte: number) => Step>> = {
  text: afterText,
  cr: (byte) => (byte === lf ? 'line' : afterText(byte)),
  line: (byte) => (byte === dot ? 'dot' : afterText(byte)),
  bareLine: (byte) => (byte === dot ? 'bareDot' : afterText(byte)),
  dot: (byte) => (byte === cr ? 'dotCr' : byte === lf ? 'odd' : 'text'),
  dotCr: (byte) => (byte === lf ? 'end' : 'odd'),
  bareDot: (byte) => (byte === cr ? 'bareDotCr' : byte === lf ? 'odd' : 'text'),
  bareDotCr: (byte) => (byte === lf ? 'odd' : afterText(byte)),
};

/** Where a reader is that takes no odd end. */
const afterOdd = (place: Place, byte: number): Place =>
  place === 'bareDotCr' && byte === lf ? 'line' : afterText(byte);

/** Whether what came before does not change what `byte` means. */
const isText = (place: Place, byte: number | undefined): boolean =>
  place === 'text' || (byte !== dot && (place === 'line' || place === 'bareLine'));

const lineAndDot = Buffer.from('\n.');

export interface MessageEnd {
  /** Looks at `chunk` from `at` on; where the message ends, or undefined: not in this chunk. */
  readonly find: (chunk: Buffer, at: number) => { readonly at: number; readonly isOdd: boolean } | undefined;
}

/**
 * Begins behind the line that announced the message, so its first line can be the last. `isStrict`: an odd end is found
 * too, else it is text.
 */
export function createMessageEnd(isStrict: boolean): MessageEnd {
  let place: Place = 'line';

  /** In the middle of text: to the next line with a dot, or to what the last bytes of the chunk mean. */
  const pass = (chunk: Buffer, at: number): number => {
    const found = chunk.indexOf(lineAndDot, at);
    return Math.max(at, (found < 0 ? chunk.length : found + 1) - 2);
  };

  const find: MessageEnd['find'] = (chunk, from) => {
    let at = from;
    while (at < chunk.length) {
      if (isText(place, chunk[at])) {
        place = 'text';
        at = pass(chunk, at);
      }
      const byte = chunk[at] as number;
      const step = steps[place](byte);
      at += 1;
      if (step === 'end' || (step === 'odd' && isStrict)) return { at, isOdd: step === 'odd' };
      place = step === 'odd' ? afterOdd(place, byte) : step;
    }
    return undefined;
  };
  return { find };
}
