/** Mutants of escaping, decoding and folding. */
import { type Mutant, mutantsOf } from './mutant.ts';

const escaping = mutantsOf('engine/bytes.ts', [
  ['a space is escaped', '/[^ -~]/g', '/[^!-~]/g'],
  ['a tilde is escaped', '/[^ -~]/g', '/[^ -}]/g'],
  ['DEL is not escaped', '/[^ -~]/g', '/[^ -\\x7f]/g'],
  ['escapes are in lower case', '.toUpperCase().padStart', '.padStart'],
  ['escapes of low bytes have one digit', ".padStart(2, '0')", ''],
  ['U+0080 is one byte of UTF-8', 'codePoint < 0x80)', 'codePoint <= 0x80)'],
  ['U+07FF is three bytes of UTF-8', 'codePoint < 0x800)', 'codePoint < 0x7ff)'],
  ['U+0800 is two bytes of UTF-8', 'codePoint < 0x800)', 'codePoint <= 0x800)'],
  ['code points past U+FFFF are three bytes', 'codePoint < 0x10000)', 'codePoint < 0x110000)'],
  ['empty parts count', 'if (end > start) yield', 'yield'],
]);

const decoding = mutantsOf('engine/decode.ts', [
  ['%HH takes no upper-case digits', '[0-9A-Fa-f]{2}', '[0-9a-f]{2}'],
  ['%HH takes no lower-case digits', '[0-9A-Fa-f]{2}', '[0-9A-F]{2}'],
  ['%uHHHH is not decoded', '|[uU]([0-9A-Fa-f]{4})', '|(\\0)'],
  ['%UHHHH is not decoded', '[uU]', 'u'],
  ['%u takes no lower-case digits', '[0-9A-Fa-f]{4}', '[0-9A-F]{4}'],
  ['%uD800 is decoded', '>= 0xd800', '> 0xd800'],
  ['%uDFFF is decoded', '<= 0xdfff', '< 0xdfff'],
  ['%uD7FF is not decoded', '>= 0xd800', '>= 0xd7ff'],
  ['%uE000 is not decoded', '<= 0xdfff', '<= 0xe000'],
  [
    'a round decodes twice',
    'bytes.replace(encoded, decodeOne)',
    'bytes.replace(encoded, decodeOne).replace(encoded, decodeOne)',
  ],
]);

const lookAlikes = mutantsOf('engine/fold.ts', [
  ['U+2044 is not a slash', "[0x2044, '/'],", ''],
  ['U+2215 is not a slash', "[0x2215, '/'],", ''],
  ['U+29F8 is not a slash', "[0x29f8, '/'],", ''],
  ['U+EFC8 is not a slash', "[0xefc8, '/'],", ''],
  ['U+2216 is not a backslash', "[0x2216, '\\\\'],", ''],
  ['U+29F5 is not a backslash', "[0x29f5, '\\\\'],", ''],
  ['U+FE68 is not a backslash', "[0xfe68, '\\\\'],", ''],
  ['U+F025 is not a backslash', "[0xf025, '\\\\'],", ''],
  ['U+2024 is not a dot', "[0x2024, '.'],", ''],
  ['U+2025 is one dot', "[0x2025, '..']", "[0x2025, '.']"],
  ['U+2026 is two dots', "[0x2026, '...']", "[0x2026, '..']"],
  ['U+3002 is not a dot', "[0x3002, '.'],", ''],
  ['U+FF61 is not a dot', "[0xff61, '.'],", ''],
  ['U+24EA is not a digit', "[0x24ea, '0'],", ''],
  ['U+FF01 is not a full-width form', '[0xff01,', '[0xff02,'],
  ['U+FF00 is a full-width form', '[0xff01,', '[0xff00,'],
  ['U+FF5E is not a full-width form', '0xff5e,', '0xff5d,'],
  ['U+FF5F is a full-width form', '0xff5e,', '0xff5f,'],
  ['U+2460 is not a digit', '[0x2460,', '[0x2461,'],
  ['U+2469 is a digit', '0x2468,', '0x2469,'],
  ['U+24B5 is a letter', '[0x24b6,', '[0x24b5,'],
  ['U+24CF is not a letter', '0x24cf,', '0x24ce,'],
  ['U+24D0 is not a letter', '[0x24d0,', '[0x24d1,'],
  ['U+24E9 is not a letter', '0x24e9,', '0x24e8,'],
  ['ranges are off by one', '+ codePoint - first', '+ codePoint - first + 1'],
]);

const overlong = mutantsOf('engine/fold.ts', [
  ['C0 and C1 take no continuation bytes', '[\\xc0\\xc1][\\x80-\\xbf./\\\\]', '[\\xc0\\xc1][./\\\\]'],
  ['C1 begins nothing', '/[\\xc0\\xc1][', '/[\\xc0]['],
  ['C2 begins an overlong form', '/[\\xc0\\xc1][', '/[\\xc0-\\xc2]['],
  ['C0 BF is not overlong', '[\\x80-\\xbf./\\\\]', '[\\x80-\\xbe./\\\\]'],
  ['C0 80 is not overlong', '[\\x80-\\xbf./\\\\]', '[\\x81-\\xbf./\\\\]'],
  ['a dot behind C0 stays apart', '[\\x80-\\xbf./\\\\]', '[\\x80-\\xbf/\\\\]'],
  ['a slash behind C0 stays apart', '[\\x80-\\xbf./\\\\]', '[\\x80-\\xbf.\\\\]'],
  ['a backslash behind C0 stays apart', '[\\x80-\\xbf./\\\\]', '[\\x80-\\xbf./]'],
  ['C0 6E is not a dot', '[no\\xee\\xef]', '[o\\xee\\xef]'],
  ['C0 6F is not a slash', '[no\\xee\\xef]', '[n\\xee\\xef]'],
  ['C0 EE is not a dot', '[no\\xee\\xef]', '[no\\xef]'],
  ['C0 EF is not a slash', '[no\\xee\\xef]', '[no\\xee]'],
  ['C1 1C is not a backslash', '[\\x1c\\xdc]', '[\\xdc]'],
  ['C1 DC is not a backslash', '[\\x1c\\xdc]', '[\\x1c]'],
  ['two bytes keep the wrong bits of the lead', '& 0x1f) << 6', '& 0x1f) << 5'],
  ['E0 begins no overlong form', '(?:\\xe0|', '(?:'],
  ['F0 begins no overlong form', '|\\xf0\\x80|', '|'],
  ['F8 begins no overlong form', '|\\xf8\\x80\\x80|', '|'],
  ['FC begins no overlong form', '|\\xfc\\x80\\x80\\x80)', ')'],
  ['E0 81 begins no overlong form', ')[\\x80\\x81][', ')[\\x80]['],
  ['E0 82 begins an overlong form', ')[\\x80\\x81][', ')[\\x80-\\x82]['],
  ['longer forms lose their high bit', '(high << 6) |', '0 |'],
  ['EF begins no look-alike', '[\\xe1-\\xef]', '[\\xe1-\\xee]'],
  ['sequences of three bytes are not folded', '[twoBytes, moreBytes, threeBytes]', '[twoBytes, moreBytes]'],
]);

export const byteMutants: readonly Mutant[] = [...escaping, ...decoding, ...lookAlikes, ...overlong];
