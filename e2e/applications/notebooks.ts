/** Applications that edit and run files of their user. */
import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { type Application, password, proxySite } from './application.ts';
import { fill, press, visit, wander } from './steps.ts';

const cell = { cell_type: 'code', execution_count: null, metadata: {}, outputs: [] };
const notebook = JSON.stringify({
  cells: [
    { cell_type: 'markdown', metadata: {}, source: '# Sales of tea\nSee `notes.txt`: $x^2 + y^2$' },
    { ...cell, source: "import csv\nfor row in csv.reader(open('sales.csv')):\n    print(row)" },
  ],
  metadata: { kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' } },
  nbformat: 4,
  nbformat_minor: 4,
});

/** Files that a person analyses. Their types have different modes of the editor. */
const files: Readonly<Record<string, string>> = {
  'analysis.ipynb': notebook,
  'sales.csv': 'month,tea,ships\n1,12,3\n2,15,2\n',
  'notes.txt': 'Select a name from the list where the price is below 10\n',
  'readme of tea.md': '# Tea\n\n* green\n* black & white\n',
  'model.py': "import os\n\nprint(os.environ.get('HOME'), '../data')\n",
  'page.html': '<!doctype html><title>Tea</title><script src="chart.js"></script>\n',
  'chart.js': 'document.querySelector("canvas").getContext("2d");\n',
  'style.css': 'body { background: url(../pixel.png) }\n',
  'values.json': '{ "tea": [1, 2, 3] }\n',
  'plot.r': 'plot(read.table("sales.csv"))\n',
  'fit.jl': 'using Statistics\nmean([1, 2])\n',
  'orders.xml': '<orders><order id="1"/></orders>\n',
};

/** Waits until the server has saved what the action changes. */
async function saving(page: Page, method: string, action: () => Promise<void>): Promise<void> {
  const saved = page.waitForResponse(
    (response) => response.request().method() === method && response.url().includes('/api/'),
  );
  await action();
  await saved;
}

async function uploadFiles(page: Page): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const upload = { name, mimeType: 'application/octet-stream', buffer: Buffer.from(text) };
    await page.locator('#upload_span_input').setInputFiles(upload);
    await saving(page, 'PUT', () => page.locator('.upload_button').click());
    await page.locator('.upload_button').waitFor({ state: 'hidden' });
  }
}

async function editFile(page: Page, name: string): Promise<void> {
  await visit(page, `/edit/${encodeURIComponent(name)}`);
  // The editor ignores the command to save until it has the text of the file.
  const [line = ''] = (files[name] ?? '').split('\n');
  await page.locator('.CodeMirror-line', { hasText: line }).first().click();
  await page.keyboard.type(' ');
  await saving(page, 'PUT', () => page.keyboard.press('Control+s'));
}

async function runNotebook(page: Page): Promise<void> {
  await visit(page, '/notebooks/analysis.ipynb');
  await page.locator('.kernel_idle_icon').waitFor();
  await page.locator('#celllink').click();
  await page.locator('#run_all_cells a').click();
  await page.locator('.output_text').first().waitFor();
  await saving(page, 'PUT', () => page.keyboard.press('Control+s'));
  await page.locator('#notebook_name').click();
  await page.locator('.modal.in input').fill('Analysis of tea');
  await saving(page, 'PATCH', () => page.locator('.modal.in .btn-primary').click());
}

async function useJupyter(page: Page): Promise<void> {
  await visit(page, '/login?next=%2Ftree');
  await fill(page, { '#password_input': password });
  await press(page, '#login_submit');
  await uploadFiles(page);
  await page.locator('#new-dropdown-button').click();
  await saving(page, 'POST', () => page.locator('#new-folder a').click());
  await runNotebook(page);
  for (const name of Object.keys(files).slice(1)) await editFile(page, name);
  await page.getByText('Edit', { exact: true }).click();
  await saving(page, 'PATCH', () => page.locator('#menu-keymap-sublime a').click());
  await visit(page, '/terminals/new');
  await visit(page, '/nbconvert/html/Analysis%20of%20tea.ipynb');
  await wander(page, { pages: 20, from: ['/tree/Untitled%20Folder', '/view/page.html', '/files/sales.csv', '/tree'] });
  await visit(page, '/logout');
}

const salt = '0123456789ab';

export const jupyter: Application = {
  name: 'jupyter',
  installed: '/usr/bin/jupyter-notebook',
  serve: async ({ run, start, port, folder }) => {
    const notes = `${folder}/notes`;
    await run('install', '-d', notes);
    const digest = createHash('sha1').update(`${password}${salt}`).digest('hex');
    const settings = ['--allow-root', '--no-browser', '--ip=127.0.0.1', `--notebook-dir=${notes}`];
    start(['jupyter-notebook', ...settings, `--port=${port}`, `--NotebookApp.password=sha1:${salt}:${digest}`]);
    return proxySite(port);
  },
  ready: '/login',
  use: useJupyter,
};
