/**
 * How a command of an engine is asked for many verdicts: lines of JSON on standard input, one line of JSON on standard
 * output for each question, in order, flushed at the latest when standard input ends. Bytes are base64.
 *
 * The first line is `Opening`. Every other line is a `Question`, answered by an `Answer`. A command that cannot go on ends
 * with a status other than 0 and says why on standard error.
 */
import type { PolicyFile } from '../../contract/policy/schema.ts';

export interface Opening {
  /** As in guard.json: camelCase keys, and an absent key has its default. */
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
  /** Candidates of the path of the raw target; none for a question with headers, whose paths are of the same kind. */
  readonly c: readonly string[];
  /** The limit that ended them, or the empty string. */
  readonly l: string;
  /**
   * Verdict, reason, target, candidate, rule, and for reason `limit_body` its cause with the numbers of values and bytes
   * that were inspected; the empty string for what the verdict does not have.
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

/** Bytes (a latin1 string) in base64. */
export const toBase64 = (bytes: string): string => btoa(bytes);
export const fromBase64 = (text: string): string => atob(text);
