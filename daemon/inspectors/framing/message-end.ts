/**
 * Finds the end of a message that a line with only a dot ends (RFC 5321 4.1.1.4, RFC 1939 3). One search skips the bytes
 * between lines that start with a dot.
 */

const dot = 0x2e;
const cr = 0x0d;
const lf = 0x0a;

/** The state before the next byte. `bare`: after a line feed without a carriage return. */
type State = 'text' | 'cr' | 'line' | 'bareLine' | 'dot' | 'dotCr' | 'bareDot' | 'bareDotCr';
/** `odd`: some servers take it for the end, others for text, so an attacker smuggles commands after it. */
type Step = State | 'end' | 'odd';

const afterText = (byte: number): State => (byte === cr ? 'cr' : byte === lf ? 'bareLine' : 'text');

const steps: Readonly<Record<State, (byte: number) => Step>> = {
  text: afterText,
  cr: (byte) => (byte === lf ? 'line' : afterText(byte)),
  line: (byte) => (byte === dot ? 'dot' : afterText(byte)),
  bareLine: (byte) => (byte === dot ? 'bareDot' : afterText(byte)),
  dot: (byte) => (byte === cr ? 'dotCr' : byte === lf ? 'odd' : 'text'),
  dotCr: (byte) => (byte === lf ? 'end' : 'odd'),
  bareDot: (byte) => (byte === cr ? 'bareDotCr' : byte === lf ? 'odd' : 'text'),
  bareDotCr: (byte) => (byte === lf ? 'odd' : afterText(byte)),
};

/** States that a lenient reader resumes in. */
const afterOdd = (state: State, byte: number): State =>
  state === 'bareDotCr' && byte === lf ? 'line' : afterText(byte);

/** Whether `byte` means the same in every state. */
const isText = (state: State, byte: number | undefined): boolean =>
  state === 'text' || (byte !== dot && (state === 'line' || state === 'bareLine'));

const lineAndDot = Buffer.from('\n.');

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

  /** Inside text: finds the next line with a dot, or the state at the end of the chunk. */
  const pass = (chunk: Buffer, at: number): number => {
    const found = chunk.indexOf(lineAndDot, at);
    return Math.max(at, (found < 0 ? chunk.length : found + 1) - 2);
  };

  const find: MessageEnd['find'] = (chunk, from) => {
    let at = from;
    while (at < chunk.length) {
      if (isText(state, chunk[at])) {
        state = 'text';
        at = pass(chunk, at);
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
