import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { loadPolicy } from '../../../contract/load/policy.ts';
import { compile } from '../../../engine/index.ts';
import { ConfigError, UsageError } from '../../../platform/errors.ts';
import { isLimit, limitText } from '../../evaluate/bounds.ts';
import { readPolicy } from '../../input/policy.ts';
import { replaceFile } from '../../input/replace-file.ts';
import { defaultFile, readSource, stdinName } from '../../input/source.ts';
import type { Context } from '../../program/context.ts';
import { addCase } from './case.ts';
import { addException } from './edit.ts';
import { effectsOf } from './effects.ts';
import { propose } from './propose.ts';
import { requestFor } from './request.ts';
import type { AllowResult, Exception } from './result.ts';
import { secretRules } from './secret.ts';

export interface AllowOptions {
  readonly target: string;
  readonly host?: string;
  readonly config?: string;
  readonly write?: true;
}

const notJsonError = (name: string): UsageError =>
  new UsageError(`--write changes only policies in JSON, and ${name} is YAML`, {
    code: 'not_json',
    hint: 'add the exception that the command prints without --write',
  });

/**
 * Writes the exception into the policy.
 * @throws UsageError for a policy in YAML, ConfigError when the exception would make the policy invalid
 */
function writeException(name: string, bytes: Uint8Array, exception: Exception, { cwd }: Context): void {
  if (!loadPolicy(bytes, name).ok) throw notJsonError(name);
  const before = Buffer.from(bytes).toString('utf8');
  const text = addException(before, exception);
  const loaded = loadPolicy(Buffer.from(text), name);
  if (!loaded.ok) throw new ConfigError(loaded);
  const { exceptions = [], ...others } = JSON.parse(before) as { readonly exceptions?: readonly Exception[] };
  if (!isDeepStrictEqual(JSON.parse(text), { ...others, exceptions: [...exceptions, exception] }))
    throw new Error('the edited policy has other changes than the exception');
  replaceFile(resolve(cwd, name), bytes, text);
}

export async function allowRequest(options: AllowOptions, context: Context): Promise<AllowResult> {
  const { target, host, config: file = defaultFile, write: isWritten } = options;
  if (isWritten && file === stdinName)
    throw new UsageError('standard input cannot be written', { code: 'conflict', hint: 'name the file with -c' });
  const { name, bytes } = await readSource(file, context);
  const { policy } = await readPolicy(file, context, { name, bytes });
  const request = requestFor(target, host, policy);
  const { verdict, reason, target: part = '' } = compile(policy).evaluate(request);
  const bound = isLimit(reason) && limitText(reason, part);
  const result = {
    request: { method: request.method, target: request.target, host: request.host ?? null },
    ...{ policy: name, reason, ...(bound && { bound }) },
  };
  const exception = await propose(policy, request);
  if (!exception) return { ...result, status: verdict === 'allowed' ? 'allowed' : 'limit' };
  const effects = effectsOf(policy, exception, request);
  const found = { ...result, exception, secrets: secretRules(exception.rules), effects };
  if (!isWritten) return { ...found, status: 'proposed' };
  writeException(name, bytes, exception, context);
  const suite = addCase(name, request, context);
  return { ...found, status: 'written', ...(suite && { suite }) };
}
