/**
 * The protocol of a command that evaluates requests. The command reads an `Opening`, then `Question`s, one line of JSON
 * each, and writes an `Answer` for each question, in order. A command that fails writes the cause to standard error.
 * Bytes are base64.
 */
import type { PolicyFile } from '../../contract/policy/schema.ts';

export interface Opening {
  /** Policies as in guard.json: an absent key has its default. */
  readonly policies: readonly PolicyFile[];
}

export interface Question {
  /** Index of the policy in the opening. */
  readonly q: number;
  /** Raw target, base64. */
  readonly t: string;
  /** Rewritten target, base64. */
  readonly r?: string;
  /** Method. Absent: GET. */
  readonly m?: string;
  /** Headers in received order: name, and value in base64. */
  readonly h?: readonly (readonly [name: string, value: string])[];
  readonly b?: string;
  /** Address of the peer. */
  readonly ip?: string;
  readonly host?: string;
}

export interface Answer {
  /** Candidates of the raw path. Empty for a question with headers. */
  readonly c: readonly string[];
  /** The limit that stopped the computation, or an empty string. */
  readonly l: string;
  /**
   * Verdict, reason, target, candidate, rule, overflow. An absent part is the empty string. The overflow has its cause
   * and the numbers of inspected values and bytes.
   */
  readonly v: readonly [
    verdict: string,
    reason: string,
    target: string,
    candidate: string,
    rule: string,
    overflow: string,
  ];
}

/** Encodes a byte string (Latin-1) as base64. */
export const toBase64 = (bytes: string): string => btoa(bytes);
export const fromBase64 = (text: string): string => atob(text);
