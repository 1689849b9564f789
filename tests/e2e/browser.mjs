// What a person sees, in a real Chromium: the demo's naive run shows two refunds under one step, the designed run
// shows unknown, looked up, confirmed. Fails on any console error and on any report of the content security policy.
// Usage: CHROMIUM=/path node browser.mjs UI_ADDRESS DEMO_OUTPUT_FILE
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [ui, output] = process.argv.slice(2);

/** The runs the demo printed: `demo scenario=… run=… refunds=… …`. */
function demoRuns() {
  const runs = new Map();
  for (const line of readFileSync(output, 'utf8').split('\n')) {
    if (!line.startsWith('demo ')) continue;
    const fields = Object.fromEntries(line.slice(5).split(' ').map((field) => field.split('=')));
    if (!runs.has(fields.scenario)) runs.set(fields.scenario, fields);
  }
  return runs;
}

export const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
const complaints = [];

async function newPage(options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => {
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

const stories = {
  async 'the naive run shows two refunds under one step'() {
    const page = await newPage();
    const { run } = runs.get('timeout-naive');
    await page.goto(`${ui}/runs`);
    await page.locator(`a[href*="/runs/${run}"]`).first().click();
    await page.waitForURL((url) => url.pathname === `/runs/${run}`);
    const verdict = await page.locator('.verdict h2').innerText();
    assert.match(verdict, /took effect once .* may have again/, `the verdict says that it may have happened twice: ${verdict}`);
    const step = page.locator('.step', { hasText: 'issue_refund' }).filter({ has: page.locator('.attempts') });
    assert.equal(await step.count(), 1, 'one step');
    const attempts = step.locator('.attempt');
    assert.deepEqual(await attempts.evaluateAll((rows) => rows.map((row) => row.dataset.state)), ['unknown', 'confirmed']);
    await attempts.first().locator('.row-link').click();
    assert.match(await page.locator('.inspector').innerText(), /Attempt 1 of 2/);
    assert.match(await page.locator('.inspector .then-now').innerText(), /unknown/);
  },

  async 'the designed run shows unknown, looked up, confirmed'() {
    const page = await newPage();
    const { run } = runs.get('timeout-designed');
    await page.goto(`${ui}/runs/${run}`);
    const step = page.locator('.step[data-kind="act"]', { hasText: 'issue_refund' }).first();
    assert.equal(await step.locator('> .row .badge').first().getAttribute('data-state'), 'confirmed');
    assert.equal(await page.locator('.attempt[data-kind="reconcile"]').count(), 1, 'one look-up');
    await step.locator('.row-link').first().click();
    const thenNow = page.locator('.inspector .then-now');
    assert.deepEqual(await thenNow.locator('.badge').evaluateAll((all) => all.map((badge) => badge.dataset.state)),
      ['unknown', 'confirmed']);
    await page.locator('.tabs a', { hasText: 'gate' }).click();
    assert.match(await page.locator('.inspector').innerText(), /issue_refund/);
  },

  async 'every tab of an attempt opens by keyboard'() {
    const page = await newPage();
    await page.goto(`${ui}/runs/${runs.get('timeout-naive').run}`);
    for (const key of ['1', '2', '3', '4', '5', '6']) {
      await page.keyboard.press(key);
      await page.waitForLoadState();
      const current = page.locator('.tabs a[aria-current="page"]');
      const index = await current.evaluate((tab) => [...tab.parentElement.children].indexOf(tab) + 1);
      assert.equal(String(index), key);
    }
  },

  async 'pages work without JavaScript, and on a phone'() {
    const page = await newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    for (const path of ['/runs', `/runs/${runs.get('timeout-naive').run}`, '/status', '/about/conventions']) {
      const response = await page.goto(ui + path);
      assert.equal(response.status(), 200, path);
      assert.ok(await page.locator('h1').innerText(), path);
    }
  },
};

const runs = demoRuns();
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
await browser.close();
if (complaints.length) console.error(`the browser complained:\n${complaints.join('\n')}`);
process.exit(failed || complaints.length ? 1 : 0);
