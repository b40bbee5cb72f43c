/**
 * Finds the end of a message that a line with only a dot ends (RFC 5321 4.1.1.4, RFC 1939 3). One search skips the bytes
 * between lines that start with a dot.
 */

const dot = 0x2e;
const cr = 0x0d;
const lf = 0x0a;

/** The state before the next byte. `bare`: after a line feed without a carriage return, or the reverse. */
type State = 'text' | 'cr' | 'line' | 'bareLine' | 'dot' | 'dotCr' | 'bareDot' | 'bareDotCr';
/** `odd`: some servers take it for the end, others for text, so an attacker smuggles commands after it. */
type Step = State | 'end' | 'odd';

const afterText = (byte: number): State => (byte === cr ? 'cr' : byte === lf ? 'bareLine' : 'text');

const steps: Readonly<Record<State, (byte: number) => Step>> = {
  text: afterText,
  cr: (byte) => (byte === lf ? 'line' : byte === dot ? 'bareDot' : afterText(byte)),
  line: (byte) => (byte === dot ? 'dot' : afterText(byte)),
  bareLine: (byte) => (byte === dot ? 'bareDot' : afterText(byte)),
  dot: (byte) => (byte === cr ? 'dotCr' : byte === lf ? 'odd' : 'text'),
  dotCr: (byte) => (byte === lf ? 'end' : 'odd'),
  bareDot: (byte) => (byte === cr ? 'bareDotCr' : byte === lf ? 'odd' : 'text'),
  bareDotCr: () => 'odd', // Postfix drops all carriage returns in front of a line feed
};

/** States that a lenient reader resumes in. */
const afterOdd = (state: State, byte: number): State =>
  state === 'bareDotCr' && byte === lf ? 'line' : afterText(byte);

/** Whether `byte` means the same in every state. */
const isText = (state: State, byte: number | undefined): boolean =>
  state === 'text' || (byte !== dot && (state === 'line' || state === 'bareLine'));

/** What the last line can start behind, for lenient readers and for strict ones. */
const marks = { lenient: ['\n.'], strict: ['\n.', '\r.'] };

/** Searches a chunk for a mark, each byte once. Returns the last byte where there is none. */
function searchIn(chunk: Buffer, mark: string, from: number): (at: number) => number {
  let found = chunk.indexOf(mark, from, 'latin1');
  return (at) => {
    if (found >= 0 && found < at) found = chunk.indexOf(mark, at, 'latin1');
    return found < 0 ? chunk.length - 1 : found;
  };
}

export interface MessageEnd {
  /** Searches `chunk` from `at` on. Undefined: the message does not end in this chunk. */
  readonly find: (chunk: Buffer, at: number) => { readonly at: number; readonly isOdd: boolean } | undefined;
}

/**
 * Starts after the line that announced the message, so its first line can be the last. `isStrict`: also finds ambiguous
 * ends, which are text otherwise.
 */
export function createMessageEnd(isStrict: boolean): MessageEnd {
  let state: State = 'line';

  const find: MessageEnd['find'] = (chunk, from) => {
    const searches = marks[isStrict ? 'strict' : 'lenient'].map((mark) => searchIn(chunk, mark, from));
    let at = from;
    while (at < chunk.length) {
      if (isText(state, chunk[at])) {
        state = 'text';
        at = Math.max(at, Math.min(...searches.map((next) => next(at))) - 1);
      }
      const byte = chunk[at] as number;
      const step = steps[state](byte);
      at += 1;
      if (step === 'end' || (step === 'odd' && isStrict)) return { at, isOdd: step === 'odd' };
      state = step === 'odd' ? afterOdd(state, byte) : step;
    }
    return undefined;
  };
  return { find };
}
