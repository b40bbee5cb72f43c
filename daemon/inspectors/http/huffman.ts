/** The Huffman code of HPACK (RFC 7541 5.2 and appendix B). The code is canonical: the lengths of its symbols define it. */

/** The bits of each byte, as runs: `length` or `length*count`. The symbol 256, which has 30 bits, ends no text. */
const lengths =
  '13 23 28*7 24 30 28*2 30 28*8 30 28*9 6 10*2 12 13 6 8 11 10*2 8 11 8 6*3 5*3 6*7 7 8 15 6 12 10 13 6 7*22 8 7 8 13 19 13 14 6 ' +
  '15 5 6 5 6 5 6*3 5 7*2 6*3 5 6 7 6 5*2 6 7*5 15 11 14 13 28 20 22 20*2 22*3 23 22 23*5 24 23 24*2 22 23 24 23*4 21 22 23 22 23*2 ' +
  '24 22 21 20 22*2 23*2 21 23 22*2 24 21 22 23*2 21*2 22 21 23 22 23*2 20 22*3 23 22*2 23 26*2 20 19 22 23 22 25 26*3 27*2 26 24 25 ' +
  '19 21 26 27*2 26 27 24 21*2 26*2 28 27*3 20 24 20 21 22 21*2 23 22*2 25*2 24*2 26 23 26 27 26*2 27*5 28 27*5 26 30';

interface Length {
  /** The first code of this length. */
  readonly first: number;
  readonly symbols: readonly number[];
}

function codeOf(runs: string): Length[] {
  const bits = runs.split(' ').flatMap((run) => {
    const [length = 0, count = 1] = run.split('*').map(Number);
    return Array<number>(count).fill(length);
  });
  const code: Length[] = [];
  let first = 0;
  for (let length = 0; length <= Math.max(...bits); length += 1) {
    const symbols = bits.flatMap((each, symbol) => (each === length ? [symbol] : []));
    code.push({ first, symbols });
    first = (first + symbols.length) * 2;
  }
  return code;
}

const code = codeOf(lengths);
const mostPadding = 7;

/** Decodes a text. Undefined for bits that mean no text. */
export function decodeHuffman(bytes: Buffer): string | undefined {
  const text = Buffer.allocUnsafe(Math.floor((bytes.length * 8) / 5)); // no symbol has less than five bits
  let length = 0;
  let [bits, count] = [0, 0];
  for (const byte of bytes)
    for (let shift = 7; shift >= 0; shift -= 1) {
      bits = bits * 2 + ((byte >> shift) & 1);
      count += 1;
      const { first, symbols } = code[count] as Length;
      const symbol = symbols[bits - first];
      if (symbol === undefined) continue;
      if (symbol > 255) return undefined;
      text[length] = symbol;
      length += 1;
      [bits, count] = [0, 0];
    }
  return count <= mostPadding && bits === 2 ** count - 1 ? text.toString('latin1', 0, length) : undefined;
}
