import { UsageError } from '../../platform/errors.ts';

export function portOf(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65_535 ? port : undefined;
}

/** Parses the value of an option for a port. @throws UsageError */
export function portFrom(option: string, text: string): number {
  const port = portOf(text);
  if (port !== undefined) return port;
  throw new UsageError(`${option} is ${JSON.stringify(text)}`, {
    code: 'bad_port',
    hint: 'pass a number from 1 to 65535',
  });
}
