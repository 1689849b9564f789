// A real Chromium whose complaints are collected: errors on the console, what the content security policy reports,
// requests that fail, and requests that leave for another host.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Opens the browser: gives new pages, and in the end what it complained about. */
export async function open(ui) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
  const complaints = [];
  /** A page whose complaints are collected, but for those that a story asks for. */
  async function newPage(options = {}, expected = null) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (expected?.test(message.text())) return;
      if (['error', 'warning'].includes(message.type())) complaints.push(`${page.url()}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
    page.on('requestfailed', (request) => {
      // The page gives up a question itself when the next key is pressed before its answer.
      const failure = request.failure()?.errorText;
      if (failure !== 'net::ERR_ABORTED') complaints.push(`${request.url()}: ${failure}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(ui)) complaints.push(`a request left for ${request.url()}`);
    });
    return page;
  }
  return { newPage, complaints, close: () => browser.close() };
}

/** What is wrong with a page as it stands: wider than the window, or what axe finds. It needs `bypassCSP`. */
export async function faults(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run({
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  }));
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}, at ${nodes.map(({ target }) => target).join(', ')}`);
  return wide > 0 ? [`${wide} px too wide`, ...found] : found;
}

/** Nothing is wrong with a page as it stands. */
export async function passes(page, said) {
  assert.deepEqual(await faults(page), [], said);
}

/** Tells the stories one after the other; ends the process with what they came to. */
export async function tell(stories, { complaints, close }) {
  let failed = 0;
  for (const [name, story] of Object.entries(stories)) {
    try {
      await story();
      console.log(`ok: ${name}`);
    } catch (error) {
      failed += 1;
      console.error(`FAILED: ${name}\n${error.stack}`);
    }
  }
  await close();
  if (complaints.length) console.error(`the browser complained:\n${complaints.join('\n')}`);
  process.exit(failed || complaints.length ? 1 : 0);
}
