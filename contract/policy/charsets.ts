/**
 * Character sets that encode ASCII as ASCII bytes, in lower case. The guard inspects bytes: other sets, such as UTF-16,
 * hide their text. The empty name is a parameter without a value.
 */
const numberedNames = (start: string, numbers: readonly number[]) => numbers.map((number) => `${start}${number}`);
const codePages = [874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258];
const isoParts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16];

export const asciiCharsets: readonly string[] = [
  ...['', 'utf-8', 'utf8', 'us-ascii', 'ascii', 'latin1', 'koi8-r', 'koi8-u'],
  ...['big5', 'euc-jp', 'euc-kr', 'gb18030', 'gb2312', 'gbk', 'shift_jis'],
  ...numberedNames('iso-8859-', isoParts),
  ...numberedNames('windows-', codePages),
];
