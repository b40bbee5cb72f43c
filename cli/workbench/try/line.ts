import { defaultMethod, type TestOptions } from '../../evaluate/options.ts';
import { quote } from '../../program/quote.ts';

/** Returns the command line that tests a request. `file` is null for the default policy. */
export function testLine(
  { path = '', method, query, header = [], body, ip }: TestOptions,
  file: string | null,
): string {
  const options: readonly (readonly [string, string | undefined])[] = [
    ['-q', query],
    ['-X', method === defaultMethod ? undefined : method],
    ...header.map((one) => ['-H', one] as const),
    ['-b', body],
    ['--ip', ip],
    ['-c', file ?? undefined],
  ];
  const given = options.flatMap(([name, value]) => (value === undefined ? [] : [name, quote(value)]));
  return ['guardcli test', path.startsWith('-') ? `--path ${quote(path)}` : quote(path || '/'), ...given].join(' ');
}
