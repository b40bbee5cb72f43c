/** Mutants of addresses, networks and the walk through X-Forwarded-For. */
import { type Mutant, mutantsOf } from './mutant.ts';

const grammar = mutantsOf('contract/values/address.ts', [
  [
    'octets may have leading zeros',
    'const quad = /^(?:0|[1-9]\\d{0,2})(?:\\.(?:0|[1-9]\\d{0,2})){3}$/',
    'const quad = /^\\d{1,3}(?:\\.\\d{1,3}){3}$/',
  ],
  ['an address may have three parts', ')){3}$/', ')){2,3}$/'],
  ['octets go to 256', 'octet > 255', 'octet > 256'],
  ['octets go to 254', 'octet > 255', 'octet > 254'],
  ['groups may have five digits', '{1,4}$/.test(part)', '{1,5}$/.test(part)'],
  ['a dotted quad does not end an address', 'last && index === parts.length - 1', 'false'],
  ['an address may have two gaps', 'halves.length > 2', 'halves.length > 3'],
  ['a gap may be empty', 'missing < 1', 'missing < 0'],
  ['an address may lack groups', 'halves.length === 1 ? missing !== 0', 'halves.length === 1 ? missing < 0'],
  ['mapped addresses are IPv6', 'if (value >> BigInt(widths[4]) === mappedPrefix)', 'if (false)'],
  ['mapped prefix lengths count from 0', '(isMapped ? mappedBits : 0)', '0'],
  [
    'a network has one bit less',
    'prefix: address.value >> BigInt(width - length), length }',
    'prefix: address.value >> BigInt(width - length + 1), length: length - 1 }',
  ],
  ['families are mixed', 'if (network.family !== address.family) return false;', ''],
  ['an entry may have no port', ':\\d{1,5}$/.exec(entry);', ':\\d{1,5}\\0$/.exec(entry);'],
  ['a bracketed entry may have no port', '(?::\\d{1,5})?$/', '$/'],
  ['entries have no brackets', '/^\\[([^\\]]*)\\]', '/^\\0([^\\]]*)\\]'],
]);

const walk = mutantsOf('engine/client-address.ts', [
  [
    'X-Forwarded-For is never believed',
    '!isWithin(address, trusted)) return address;\n  for',
    'true) return address;\n  for',
  ],
  [
    'X-Forwarded-For is always believed',
    'if (!address || !isWithin(address, trusted)) return address;',
    'if (!address) return address;',
  ],
  ['the left-most entry is the client', 'forwardedEntries(request).reverse()', 'forwardedEntries(request)'],
  ['trusted entries end the walk', 'if (!isWithin(address, trusted)) return address;\n  }', 'return address;\n  }'],
  ['no entry ends the walk', 'if (!isWithin(address, trusted)) return address;\n  }', '}'],
  ['a malformed entry is skipped', 'if (!previous) return address;', 'if (!previous) continue;'],
  ['a malformed entry leaves no address', 'if (!previous) return address;', 'if (!previous) return undefined;'],
  ['spaces belong to an entry', "strip(entry, ' \\t')", 'entry'],
  [
    'only the first line counts',
    '    .map(([, value]) => value)\n',
    '    .slice(0, 1)\n    .map(([, value]) => value)\n',
  ],
  ['the name of the header has a case', "name.toLowerCase() === 'x-forwarded-for'", "name === 'X-Forwarded-For'"],
]);

export const addressMutants: readonly Mutant[] = [...grammar, ...walk];
