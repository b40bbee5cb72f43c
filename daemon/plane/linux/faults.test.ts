import { test } from 'node:test';
import { openLibc } from '../../process/libc/open.ts';
import { surviveFaults } from './testing/survive-faults.ts';

const opened = openLibc();
const skip = 'missing' in opened && opened.missing;

test('accounts for every byte while calls fail at random', { skip }, () => surviveFaults(30_000));
