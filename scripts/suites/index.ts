/** All suites, in the order in which they get a lane. */
import { engineSuites } from './engines.ts';
import { goSuites } from './go.ts';
import { proxySuites } from './proxies.ts';
import { sourceSuites } from './source.ts';
import type { Suite } from './suite.ts';

export const suites: readonly Suite[] = [...sourceSuites, ...proxySuites, ...engineSuites, ...goSuites];
