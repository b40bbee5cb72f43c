import { type Random as Choices, createRandom as createChoices } from '../../../conformance/differential/random.ts';

export interface Random extends Choices {
  /** Returns printable text. */
  readonly text: (length: number) => string;
}

export function createRandom(seed: number): Random {
  const choices = createChoices(seed);
  const text = (length: number) =>
    Array.from({ length }, () => String.fromCharCode(0x21 + choices.integer(94))).join('');
  return { ...choices, text };
}
