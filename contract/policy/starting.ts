/** The keys with which a policy starts: `guardcli init` and `tcp-guard init host` write them. */
import { usualMethods } from './methods.ts';

const starting = { methods: usualMethods, checkQuery: true, exploits: 'paths' };

/** The members as lines of JSON, without a comma after the last one. */
export const startingText = Object.entries(starting)
  .map(([key, value]) => `  "${key}": ${JSON.stringify(value).replaceAll(',', ', ')}`)
  .join(',\n');
