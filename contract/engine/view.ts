/** The candidates of one value: every reading of every round of decoding. */
import { limits } from '../policy/limits.ts';
import type { Limit } from '../policy/reasons.ts';
import { escapeBytes } from './bytes.ts';
import { decode } from './decode.ts';
import { fold } from './fold.ts';
import { cut, forms, withoutControls } from './forms.ts';

/** Candidate bytes used so far, of a request or of a body. */
export interface Budget {
  used: number;
}

/** Candidates in order, without repetitions; and the limit that was reached, if any. */
export interface View {
  readonly candidates: readonly string[];
  readonly limit?: Limit;
}

/** Where a reading of a round can differ from the text. Every other text has one reading, the text itself. */
const unplain = /[^ -~]|[\\;?#]|\/\/|:\$|[. ](?:\/|$)/;

/** Whether a backend can have meant the folded text: `C0 EE` is a common surname in GBK. */
function isMeant(folded: string): boolean {
  return !/[\x80-\xff]/.test(folded) || /\.\.[/\\]|[/\\]\.\./.test(folded);
}

/**
 * Whether a text of some round so far does not end in a slash: then a slash at the end of its readings was encoded, or
 * remains of a final dot segment.
 */
interface Open {
  whole: boolean;
  /** The same for the part before the first NUL, `?` or `#`. */
  ended: boolean;
}

/** All readings of one round, in order, with repetitions. */
function readings(raw: string, open: Open): string[] {
  const isClosed = raw.endsWith('/');
  const mayLoseSlash = isClosed && open.whole;
  open.whole ||= !isClosed;
  if (!unplain.test(raw) && !mayLoseSlash) {
    open.ended ||= !isClosed;
    return [raw];
  }
  const maybe = fold(raw);
  const folded = maybe === raw || isMeant(maybe) ? maybe : raw;
  const ended = cut(folded);
  const clean = withoutControls(folded);
  open.ended ||= !cut(raw).endsWith('/') || !ended.endsWith('/');
  return [
    ...forms(raw, open.whole),
    ...(folded === raw ? [] : forms(folded, open.whole)),
    ...(ended === folded ? [] : forms(ended, open.ended)),
    ...(clean === folded ? [] : forms(clean, open.whole)),
  ];
}

/** Adds `readings` to `found`, within both budgets. Most readings repeat another one of their round. */
function collect(readings: readonly string[], found: Set<string>, own: Budget, shared: Budget): boolean {
  for (const reading of new Set(readings)) {
    const candidate = escapeBytes(reading);
    if (found.has(candidate)) continue;
    own.used += candidate.length;
    if (own.used > limits.viewBytes || shared.used + candidate.length > limits.requestBytes) return false;
    shared.used += candidate.length;
    found.add(candidate);
  }
  return true;
}

/** The view of `raw`, which may have at most `maxBytes` bytes. Candidates before a limit are kept. */
export function view(raw: string, maxBytes: number, budget: Budget): View {
  if (raw.length > maxBytes) return { candidates: [], limit: 'limit_length' };
  const found = new Set<string>();
  const own: Budget = { used: 0 };
  const open: Open = { whole: false, ended: false };
  let reading = raw;
  for (let rounds = 0; ; rounds += 1) {
    if (!collect(readings(reading, open), found, own, budget))
      return { candidates: [...found], limit: 'limit_candidates' };
    const decoded = decode(reading);
    if (decoded === reading) return { candidates: [...found] };
    if (rounds === limits.decodeRounds) return { candidates: [...found], limit: 'limit_decode_rounds' };
    reading = decoded;
  }
}
