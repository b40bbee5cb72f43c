/** Finds the end of a message: a line with only a dot (RFC 5321 4.1.1.4, RFC 1939 3). */

const dot = 0x2e;
const cr = 0x0d;
const lf = 0x0a;

/** The state before the next byte. `bare`: the line began after LF without CR, or after CR without LF. */
type State = 'text' | 'cr' | 'line' | 'bareLine' | 'dot' | 'dotCr' | 'bareDot' | 'bareDotCr';
/**
 * `ambiguous`: some servers interpret it as the end and others as text, so an attacker can smuggle commands after it.
 */
type Step = State | 'end' | 'ambiguous';

const afterText = (byte: number): State => (byte === cr ? 'cr' : byte === lf ? 'bareLine' : 'text');

const steps: Readonly<Record<State, (byte: number) => Step>> = {
  text: afterText,
  cr: (byte) => (byte === lf ? 'line' : byte === dot ? 'bareDot' : afterText(byte)),
  line: (byte) => (byte === dot ? 'dot' : afterText(byte)),
  bareLine: (byte) => (byte === dot ? 'bareDot' : afterText(byte)),
  dot: (byte) => (byte === cr ? 'dotCr' : byte === lf ? 'ambiguous' : 'text'),
  dotCr: (byte) => (byte === lf ? 'end' : 'ambiguous'),
  bareDot: (byte) => (byte === cr ? 'bareDotCr' : byte === lf ? 'ambiguous' : 'text'),
  bareDotCr: () => 'ambiguous', // Postfix drops all carriage returns before a line feed
};

/** The state after an ambiguous end, which a lenient reader treats as text. */
const afterAmbiguous = (state: State, byte: number): State =>
  state === 'bareDotCr' && byte === lf ? 'line' : afterText(byte);

/** Whether the search can continue at the next mark: the current line cannot be the end of the message. */
const canSkipToMark = (state: State, byte: number | undefined): boolean =>
  state === 'text' || (byte !== dot && (state === 'line' || state === 'bareLine'));

/** The search stops at these texts: a line end and the dot of the last line. */
const marks = { lenient: ['\n.'], strict: ['\n.', '\r.'] };

/**
 * Returns a function that finds the first mark at or after `at`, or the last byte of the chunk when no mark follows.
 * All calls together read each byte once.
 */
function searchIn(chunk: Buffer, mark: string, from: number): (at: number) => number {
  let found = chunk.indexOf(mark, from, 'latin1');
  return (at) => {
    if (found >= 0 && found < at) found = chunk.indexOf(mark, at, 'latin1');
    return found < 0 ? chunk.length - 1 : found;
  };
}

export interface MessageEnd {
  /** Searches a chunk from `at` on. Returns undefined when the message does not end in it. */
  readonly find: (chunk: Buffer, at: number) => { readonly at: number; readonly isAmbiguous: boolean } | undefined;
}

/** Starts after the line that announced the message. With `isStrict`, also finds ambiguous ends. */
export function createMessageEnd(isStrict: boolean): MessageEnd {
  let state: State = 'line';

  const find: MessageEnd['find'] = (chunk, from) => {
    const searches = marks[isStrict ? 'strict' : 'lenient'].map((mark) => searchIn(chunk, mark, from));
    let at = from;
    while (at < chunk.length) {
      if (canSkipToMark(state, chunk[at])) {
        state = 'text';
        at = Math.max(at, Math.min(...searches.map((next) => next(at))) - 1);
      }
      const byte = chunk[at] as number;
      const step = steps[state](byte);
      at += 1;
      if (step === 'end' || (step === 'ambiguous' && isStrict)) return { at, isAmbiguous: step === 'ambiguous' };
      state = step === 'ambiguous' ? afterAmbiguous(state, byte) : step;
    }
    return undefined;
  };
  return { find };
}
