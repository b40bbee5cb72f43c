import { join } from 'node:path';
import { findBrowser, installHint } from '../../cli/probes/browser/find.ts';
import { launchBrowser } from '../../cli/probes/browser/run.ts';
import { runCaptured } from '../../cli/testing/captured.ts';
import { packageRoot } from '../../platform/assets.ts';
import { exampleEvents, now } from './events.ts';

const address = 'http://report.example/';
/** Size of the picture in pixels. It ends below the first chart. */
const viewport = { width: 1100, height: 1010 } as const;

/** Returns pictures by file name. */
export async function reportPictures(): Promise<Map<string, Buffer>> {
  const stdin = `${exampleEvents(now).join('\n')}\n`;
  const { stdout: body } = await runCaptured(['dashboard', 'report', '-'], { stdin, now });
  const path = findBrowser({ PATH: join(packageRoot, 'scripts/test-image/bin') });
  if (path === undefined) throw new Error(installHint);
  const browser = await launchBrowser(path);
  const pictures = new Map<string, Buffer>();
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme, viewport });
      await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }));
      await page.goto(address);
      pictures.set(`report-${colorScheme}.png`, await page.screenshot());
    }
  } finally {
    await browser.close();
  }
  return pictures;
}
