/**
 * The protocol of a command that evaluates many requests. It reads lines of JSON on standard input and writes one line
 * of JSON for each question, in order. It flushes its output when standard input ends, or earlier. Bytes are base64.
 *
 * The first line is an `Opening`. Every other line is a `Question`, and its response is an `Answer`. A command that
 * fails exits with a status other than 0 and writes the cause to standard error.
 */
import type { PolicyFile } from '../../contract/policy/schema.ts';

export interface Opening {
  /** As in guard.json: keys are camelCase, and an absent key has its default. */
  readonly policies: readonly PolicyFile[];
}

export interface Question {
  /** Index of the policy. */
  readonly q: number;
  /** Raw target, base64. */
  readonly t: string;
  /** Rewritten target, base64. */
  readonly r?: string;
  /** Method; GET when absent. */
  readonly m?: string;
  /** Headers in received order: name, and value in base64. */
  readonly h?: readonly (readonly [name: string, value: string])[];
  /** Body, base64. */
  readonly b?: string;
  /** Address of the peer. */
  readonly ip?: string;
  readonly host?: string;
}

export interface Answer {
  /**
   * Candidates of the path of the raw target. Empty for a question with headers: other questions test the code for
   * paths.
   */
  readonly c: readonly string[];
  /** Name of the limit that stopped the computation of candidates, or the empty string. */
  readonly l: string;
  /**
   * Verdict, reason, target, candidate, rule, overflow; an absent one is the empty string. Reason `limit_body` has an
   * overflow: its cause and the numbers of inspected values and bytes.
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
