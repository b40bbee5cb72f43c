/**
 * Writes the requests of a session to standard output, in the test image: `scripts/node scripts/in-test-image.ts --image
 * applications -- node e2e/applications/record.ts <application>`.
 */
import process from 'node:process';
import { findBrowser } from '../../cli/probes/browser/find.ts';
import { launchBrowser } from '../../cli/probes/browser/run.ts';
import { applications } from './index.ts';
import { runSession } from './session.ts';

const application = applications.find(({ name }) => name === process.argv[2]);
const browser = findBrowser(process.env);
if (!application || browser === undefined) throw new Error('unknown application, or no browser');
const running = await launchBrowser(browser);
try {
  const { recording, events, failure } = await runSession(application, running);
  if (failure) throw failure;
  process.stdout.write(`${recording.join('\n')}\n`);
  process.stderr.write(`${recording.length} distinct requests; ${events.length} events\n${events.join('\n')}\n`);
} finally {
  await running.close();
}
