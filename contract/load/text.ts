import type { Fault } from './tree.ts';

export type Decoded =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly text: string; readonly fault: Fault };

/**
 * The name of the bytes in messages. Also the advice for bytes that are not UTF-8, have a byte order mark, are empty or
 * are too long.
 */
export interface Subject {
  readonly noun: string;
  readonly asUtf8: string;
  readonly withoutMark: string;
  readonly whenEmpty: string;
  readonly whenLong: string;
}

export const fileSubject: Subject = {
  noun: 'file',
  asUtf8: 'save the file as UTF-8',
  withoutMark: 'save the file as UTF-8 without BOM',
  whenEmpty: 'a policy of defaults is {}',
  whenLong: 'is it the right file?',
};

/** The fault of an empty file, and of YAML with only comments. */
export const emptyFault = ({ noun, whenEmpty }: Subject): Fault => ({
  offset: 0,
  message: `the ${noun} is empty`,
  hint: whenEmpty,
});

const byteOrderMark = '\ufeff';
const byteOrderMarks = {
  utf16: [
    [0xff, 0xfe],
    [0xfe, 0xff],
  ],
} as const;

const decodeStrictly = (bytes: Uint8Array, isWhole: boolean): string =>
  new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !isWhole });

function isPrefixValid(bytes: Uint8Array, length: number): boolean {
  try {
    decodeStrictly(bytes.subarray(0, length), false);
    return true;
  } catch {
    return false;
  }
}

/** Returns how many bytes from the start are valid. The decoder only reports whether all bytes are. */
function validLength(bytes: Uint8Array): number {
  let [low, high] = [0, bytes.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isPrefixValid(bytes, middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function notUtf8(bytes: Uint8Array, { asUtf8 }: Subject): Decoded {
  const length = validLength(bytes);
  const text = decodeStrictly(bytes.subarray(0, length), false);
  const isUtf16 = byteOrderMarks.utf16.some((mark) => mark.every((byte, index) => bytes[index] === byte));
  const hint = isUtf16 ? `it looks like UTF-16; ${asUtf8}` : asUtf8;
  return { ok: false, text, fault: { offset: text.length, message: `byte ${length} is not UTF-8`, hint } };
}

/**
 * Decodes bytes. Refuses more than `maxBytes`, and a text that is not UTF-8, has a byte order mark (RFC 8259 8.1) or is
 * only white space.
 */
export function decode(bytes: Uint8Array, maxBytes: number, subject: Subject = fileSubject): Decoded {
  const { noun, whenLong, withoutMark } = subject;
  const refused = (message: string, hint: string): Decoded => ({
    ok: false,
    text: '',
    fault: { offset: 0, message, hint },
  });
  if (bytes.length > maxBytes) return refused(`the ${noun} has ${bytes.length} bytes, more than ${maxBytes}`, whenLong);
  let text: string;
  try {
    text = decodeStrictly(bytes, true);
  } catch {
    return notUtf8(bytes, subject);
  }
  if (text.startsWith(byteOrderMark)) return refused('it starts with a byte order mark', withoutMark);
  if (text.trim() === '') return { ok: false, text: '', fault: emptyFault(subject) };
  return { ok: true, text };
}
