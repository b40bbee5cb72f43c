import { builtInRules } from '../policy/builtin-rules.ts';
import { limits } from '../policy/limits.ts';
import { inlineCode, table } from './markdown.ts';

interface LimitText {
  readonly what: string;
  /** The effect of exceeding the bound. */
  readonly effect: string;
  readonly why: string;
}

const blockedText = (reason: string): string => `blocked, ${inlineCode(reason)}`;

const requestLimits = {
  pathBytes: {
    what: 'bytes of a path',
    effect: blockedText('limit_length'),
    why: 'the longest benign path measured had 269, one attack in a thousand has more than 1,077',
  },
  queryBytes: {
    what: 'bytes of a query, and of one key or value of it',
    effect: blockedText('limit_length'),
    why: 'common servers stop at 8 to 16 KiB, and scripts for analytics send more than 8 KiB by POST; twice as much would cost an interpreted engine more than a second',
  },
  queryPairs: {
    what: 'pairs of a query, and strings of JSON in its values; all inspected headers share one count, in which each value is a pair too',
    effect: `the first ones are inspected, then ${blockedText('limit_query_pairs')}`,
    why: 'each pair costs two views',
  },
  headerBytes: {
    what: 'bytes of an inspected header value',
    effect: blockedText('limit_length'),
    why: 'a header may hold a whole URL; twice the path',
  },
  decodeRounds: {
    what: 'rounds of decoding',
    effect: blockedText('limit_decode_rounds'),
    why: 'benign targets need one, attacks three; each hop of a sign-in redirect adds one',
  },
  viewBytes: {
    what: 'bytes of all candidates of one value',
    effect: blockedText('limit_candidates'),
    why: 'bounds the matching work of one value: a kilobyte of mixed encodings has a hundred readings',
  },
  requestBytes: {
    what: 'bytes of all candidates of a request; a body has a separate budget of the same size',
    effect: blockedText('limit_candidates'),
    why: 'bounds the matching work of one request',
  },
  bodyValueBytes: { what: 'bytes of one value of a body', effect: 'cut: an overflow', why: 'uploads have to work' },
  bodyValues: {
    what: 'values of a body, without empty ones and words; in a multipart form also parts and names',
    effect: 'not inspected: an overflow',
    why: 'one costs an interpreted engine up to a millisecond',
  },
  xmlJoinedBytes: {
    what: 'bytes of the joined texts of XML',
    effect: 'cut: an overflow',
    why: 'elements inside of each other share their texts',
  },
  multipartContentBytes: {
    what: 'bytes of the content of a form field',
    effect: 'cut: an overflow',
    why: 'names come first',
  },
  contentTypeBytes: {
    what: 'bytes of all Content-Type lines, joined by commas',
    effect:
      'the body is read as a form, as JSON, as XML, and as a multipart form in which every line that begins with `--` is a boundary line',
    why: 'honest lines have up to 200, and servers read a long one in too many ways',
  },
  multipartBoundaryBytes: {
    what: 'bytes of a boundary',
    effect: 'every line that begins with `--` counts as a boundary',
    why: 'RFC 2046 5.1.1 allows 70, and a server may keep two quotation marks',
  },
  multipartBoundaries: {
    what: 'boundaries of a multipart form',
    effect: 'every line that begins with `--` counts as a boundary',
    why: 'honest clients send one, and each costs a search through the body',
  },
  pathInfoFiles: {
    what: 'segments with the extension of a script, of a path, that are read as one with path info',
    effect: 'not read as one',
    why: 'each is one more text to match; honest paths have one',
  },
} as const satisfies Partial<Record<keyof typeof limits, LimitText>>;

const largestPattern = Math.max(...builtInRules.map(({ pattern }) => pattern.length));

const patternLimits = {
  regexBytes: {
    what: 'bytes of a pattern',
    effect: 'refused',
    why: `the largest built-in one has ${largestPattern.toLocaleString('en')}`,
  },
  policyPatternBytes: {
    what: 'bytes of all patterns of a policy, those of exceptions included, with all counts written out: `[a-z]{1,3}` counts as `[a-z][a-z]?[a-z]?`',
    effect: 'refused',
    why: 'a thousand patterns have about 60 KB; every engine holds them compiled, with their counts written out',
  },
  regexNesting: { what: 'groups inside of each other', effect: 'refused', why: 'parsers recurse' },
  regexRepeat: {
    what: 'a count, and the product of nested counts',
    effect: 'refused',
    why: 'what RE2 and Go take; PCRE would take more',
  },
  regexSize: {
    what: 'characters, assertions and branches with all counts written out',
    effect: 'refused',
    why: 'every engine compiles any such pattern within its memory',
  },
} as const satisfies Partial<Record<keyof typeof limits, LimitText>>;

function limitTable(texts: Readonly<Partial<Record<keyof typeof limits, LimitText>>>): string {
  const rows = Object.entries(texts).map(([name, { what, effect, why }]) => [
    what,
    limits[name as keyof typeof limits].toLocaleString('en'),
    effect,
    why,
  ]);
  return table(['limit', 'value', 'past it', 'why'], rows);
}

export const engineTables = {
  'request-limits': () => limitTable(requestLimits),
  'pattern-limits': () => limitTable(patternLimits),
} as const;
