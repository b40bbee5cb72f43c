/** Checks a page with axe (WCAG). */
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly unknown[];
}

export async function accessibilityProblems(page: Page): Promise<string[]> {
  const { default: axe } = await import('axe-core');
  // The debugger runs the script: the Content-Security-Policy of the page blocks injected scripts.
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as readonly Violation[];
  return found.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.length} places)`);
}
