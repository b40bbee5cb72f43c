#!/usr/bin/env node
/** Where the bundled program starts: the code that follows is compiled once per machine, not once per run. */
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../../platform/cache.ts';

enableCompileCache(join(cacheFolder(), 'compile'));
await import('./main.ts');
