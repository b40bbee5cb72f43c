/**
 * Takes the pictures of the documentation: `npm run pictures`. Needs tmux, and a container runtime for the browser.
 * Durations, dates, ports and times differ in each run.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { packageRoot } from '../../platform/assets.ts';
import { type Owner, skip } from '../support/tmux.ts';
import { reportPictures } from './report.ts';
import { terminalPictures } from './terminals.ts';

async function main(owner: Owner): Promise<void> {
  if (skip) throw new Error(`${skip}: on Debian, sudo apt-get install tmux`);
  for (const [file, content] of [...(await terminalPictures(owner)), ...(await reportPictures())]) {
    writeFileSync(join(packageRoot, 'docs/pictures', file), content);
    process.stdout.write(`written: docs/pictures/${file}\n`);
  }
}

const ends: (() => void | Promise<void>)[] = [];
try {
  await main({ after: (end) => void ends.push(end) });
} finally {
  for (const end of ends.reverse()) await end();
}
