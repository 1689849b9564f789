// What a person sees, in a real Chromium: the demo's naive run shows two refunds under one step, the designed run
// shows unknown, looked up, confirmed. Fails on any console error and on any report of the content security policy.
// Usage: CHROMIUM=/path node browser.mjs UI_ADDRESS DEMO_OUTPUT_FILE
import assert from 'node:assert/strict';
import { open, passes, tell } from './chrome.mjs';
import { demoRuns, everyPage } from './pages.mjs';

const [ui, output] = process.argv.slice(2);
const runs = demoRuns(output);
const chrome = await open(ui);
const { newPage } = chrome;

/** Moves the focus on with the Tab key until it stands on this. */
async function reach(page, selector) {
  const wanted = page.locator(selector).first();
  await wanted.waitFor();
  for (let presses = 0; presses < 150; presses += 1) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the Tab key never reaches ${selector}`);
}

/** Waits until a page shows an open unknown: what the demo sent may still be on its way. */
async function queueWithCases(page) {
  for (let tries = 0; tries < 60; tries += 1) {
    await page.goto(`${ui}/unknowns`);
    if (await page.locator('.queue .row-link').count()) return;
    await page.waitForTimeout(500);
  }
  throw new Error('no unknown shows up in the queue');
}

/** The case that the keyboard story resolved, for those after it. */
let resolved;

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
    const attempts = step.locator('.attempt:not(.more-attempts)');
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

  async 'a finding leads to the step that shows it'() {
    const page = await newPage();
    const { run } = runs.get('timeout-naive');
    await page.goto(`${ui}/findings?code=retried-while-unknown&run=${run}`);
    await page.locator('.found .finding-steps a').first().click();
    await page.waitForURL((url) => url.pathname === `/runs/${run}`);
    assert.match(await page.locator('.inspector').innerText(), /issue_refund/);
    await page.goto(`${ui}/findings`);
    const agent = page.locator('.facets section', { hasText: 'Agent' }).locator('a').first();
    const name = await agent.locator('span').first().innerText();
    await agent.click();
    await page.waitForURL((url) => url.searchParams.get('agent') === name);
    assert.ok(await page.locator('.found > li').count() > 0, 'findings of one agent');
  },

  async 'a worker that lost its lease is seen at the step'() {
    const page = await newPage();
    await page.goto(`${ui}/runs/${runs.get('stale-worker').run}`);
    assert.ok(await page.locator('.row[data-lease]').count() > 0, 'a takeover has a row of its own');
    const stale = page.locator('.attempt, .step > .row').filter({ hasText: 'stale epoch' });
    assert.match(await stale.first().innerText(), /worker-a, epoch 1/);
  },

  async 'readiness tells the two loops apart'() {
    const page = await newPage();
    await page.goto(`${ui}/readiness`);
    const answers = async (agent) => {
      const group = page.locator('.matrix tbody').filter({ has: page.locator('.matrix-agent', { hasText: new RegExp(`^\\s*${agent} \\d`) }) });
      const row = group.locator('tr', { has: page.locator('th', { hasText: 'issue_refund' }) });
      return row.locator('.mark').evaluateAll((marks) => marks.map((mark) => mark.dataset.answer));
    };
    assert.deepEqual((await answers('support-agent')).slice(0, 4), ['partly', 'no', 'no', 'no']);
    assert.deepEqual((await answers('support-agent-durable')).slice(0, 2), ['yes', 'yes']);
    assert.equal(await page.locator('.reply').count(), 6);
    await page.locator('.proofs a').first().click();
    await page.waitForURL((url) => url.pathname.startsWith('/runs/'));
  },

  async 'the account question is answered, from a run to a file that proves it'() {
    const page = await newPage();
    await page.goto(`${ui}/runs/${runs.get('timeout-designed').run}`);
    await page.locator('.facts-line a[href*="/entities/account/"], .facts a[href*="/entities/account/"]').first().click();
    await page.waitForURL((url) => url.pathname.startsWith('/entities/account/'));
    assert.match(await page.locator('h1').innerText(), /^What agents did on account/);
    const ours = page.locator(`a[href*="${runs.get('timeout-designed').run}"]`);
    const refund = page.locator('.act', { hasText: 'Refunded', has: ours }).first();
    assert.equal(await refund.getAttribute('data-state'), 'confirmed');
    assert.match(await refund.innerText(), /Attempt 1: .*; now confirmed/s, 'the unknown and what became of it');
    assert.match(await page.locator('.limits').innerText(), /Completeness[\s\S]*Integrity/);
    const link = await page.locator('a[href*="/evidence"]').getAttribute('href');
    const bundle = await page.request.get(ui + link);
    assert.equal(bundle.headers()['content-type'], 'application/zip');
    assert.equal((await bundle.body()).subarray(0, 2).toString(), 'PK');
    await refund.locator('a').first().click();
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && url.searchParams.has('span'));
  },

  async 'a phrase is searched from any page, and leads to the attempt that has it'() {
    const { run } = runs.get('timeout-naive');
    const looks = [{}, { colorScheme: 'dark' }, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } }];
    for (const look of looks) {
      const page = await newPage(look);
      await page.goto(`${ui}/status`);
      if (look.viewport) {
        await page.locator('.finder-link').click();
        await page.locator('.query input[name="q"]').fill(`issue_refund run:${run}`);
        await page.keyboard.press('Enter');
      } else {
        await page.keyboard.press('/');
        await page.keyboard.type(`issue_refund run:${run}`);
        await page.keyboard.press('Enter');
      }
      await page.waitForURL((url) => url.pathname === '/search' && url.searchParams.get('q')?.startsWith('issue_refund'));
      const hit = page.locator('.hit', { hasText: /issue_refund/ }).filter({ has: page.locator('mark') }).first();
      const said = await hit.locator('.row-link').innerText();
      await hit.locator('.row-link').click();
      await page.waitForURL((url) => url.pathname === `/runs/${run}` && url.searchParams.has('span') && url.searchParams.has('tab'));
      const number = said.match(/Step (\d+)/)[1];
      assert.match(await page.locator('.inspector-head').innerText(), new RegExp(`Step ${number}\\b`), said);
    }
    const typo = await newPage();
    await typo.goto(`${ui}/search?q=agnt%3Ashop`);
    assert.match(await typo.locator('[role="alert"]').innerText(), /agnt is not a field.*Did you mean agent/);
    const page = await newPage({ bypassCSP: true });
    for (const look of [{ colorScheme: 'light' }, { colorScheme: 'dark' }]) {
      await page.emulateMedia(look);
      for (const path of ['/search', '/search?q=refund', '/search?q=zeppelin']) {
        await page.goto(ui + path);
        await passes(page, `${path} ${JSON.stringify(look)}`);
      }
    }
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

  async 'an unknown is resolved by keyboard alone, and the second closer sees the first answer'() {
    const page = await newPage();
    await queueWithCases(page);
    await page.goto(`${ui}/runs`);
    assert.match(await page.locator('.sections .count').innerText(), /^\d+/, 'every page counts the open ones');
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.waitForURL((url) => url.pathname === '/unknowns');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.startsWith('/cases/'));
    resolved = new URL(page.url()).pathname;
    const second = await newPage({}, /409/);
    await second.goto(ui + resolved);

    await reach(page, 'button:has-text("Take it")');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('done') === 'claim');
    assert.match(await page.locator('.record').innerText(), /development took it/);
    await reach(page, 'input[name="outcome"][value="confirmed"]');
    await page.keyboard.press('Space');
    await reach(page, 'input[name="evidence"]');
    await page.keyboard.type('https://ledger.example/re_88213');
    await reach(page, '.choices ~ .field textarea[name="note"]');
    await page.keyboard.type('The ledger has it once.');
    await reach(page, 'button:has-text("Record what happened")');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('done') === 'resolution');
    const states = page.locator('.title-badge .badge');
    assert.deepEqual(await states.evaluateAll((all) => all.map((badge) => badge.dataset.state)), ['unknown', 'confirmed']);
    await reach(page, 'a:has-text("Open the run")');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.startsWith('/runs/'));
    assert.match(await page.locator('.inspector-head').innerText(), /then\s+unknown\s+now\s+confirmed\s+by resolution of development/);

    await second.locator('input[name="outcome"][value="failed"]').check();
    await second.locator('input[name="evidence"]').fill('payments ticket 12');
    await second.locator('.choices ~ .field textarea[name="note"]').fill('I typed this with care.');
    await second.locator('button', { hasText: 'Record what happened' }).click();
    await second.waitForURL((url) => url.pathname.endsWith('/resolution'));
    const clash = await second.locator('.clash').innerText();
    assert.match(clash, /was faster and recorded: confirmed/);
    assert.match(clash, /https:\/\/ledger\.example\/re_88213/);
    assert.match(await second.locator('form[action$="/comment"] textarea').inputValue(), /I typed this with care/);
  },

  async 'a case is opened again and resolved without JavaScript, on a phone'() {
    const page = await newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    await page.goto(`${ui}/unknowns?state=resolved`);
    await page.locator(`.queue a[href="${resolved}"]`).click();
    await page.locator('form[action$="/reopen"] textarea').fill('The ledger was corrected.');
    await page.locator('button', { hasText: 'Open it again' }).click();
    assert.match(await page.locator('[role="status"]').innerText(), /open again/);
    await page.locator('.choice', { hasText: 'It did not happen' }).click();
    await page.locator('input[name="evidence"]').fill('corrected ledger');
    await page.locator('.choices ~ .field textarea[name="note"]').fill('It was reversed: nothing was paid.');
    await page.locator('button', { hasText: 'Record what happened' }).click();
    assert.match(await page.locator('.title-badge').innerText(), /then\s+unknown\s+now\s+failed/);
    const story = await page.locator('.record').innerText();
    assert.match(story, /resolved it: confirmed[\s\S]*opened it again[\s\S]*resolved it: failed/, 'nothing is rewritten');
  },

  async 'every page passes axe in light, dark and on a phone'() {
    const looks = [
      { colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 390, height: 844 } },
    ];
    const paths = [...await everyPage(ui, runs), resolved];
    for (const look of looks) {
      // What can't be read, and what is not there, is answered with an error on purpose.
      const page = await newPage({ ...look, bypassCSP: true }, /the server responded with a status of 40[04]/);
      for (const path of paths) {
        await page.goto(ui + path);
        await passes(page, `${path} ${JSON.stringify(look)}`);
      }
    }
  },

  async 'a number of the overview leads to the runs it counts, and its charts are tables as well'() {
    const page = await newPage();
    await page.goto(`${ui}/overview`);
    const unknown = page.locator('.tallies a', { hasText: 'Unknown' });
    const counted = Number(await unknown.locator('.tally-n').innerText());
    await unknown.click();
    await page.waitForURL((url) => url.pathname === '/runs');
    const listed = await page.locator('.runs .run-effects .badge').allInnerTexts();
    const acts = listed.map((said) => Number(said.match(/^(\d+) of/)?.[1] ?? 0)).reduce((a, b) => a + b, 0);
    assert.equal(acts, counted, `the lines of the list say ${listed.join(', ')}`);
    await page.goto(`${ui}/overview`);
    for (const chart of await page.locator('.chart:has(.bar-rows)').all()) {
      await chart.locator('summary').click();
      assert.ok(await chart.locator('table tbody tr').count() > 0, await chart.locator('h2').innerText());
      assert.ok((await chart.locator('.bar-plot').first().getAttribute('aria-label')).includes(':'));
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'), page.locator('#acts a[download]').click(),
    ]);
    assert.equal(download.suggestedFilename(), 'acts.csv');
  },

  async 'the overview adds up to what the runs say one by one'() {
    const asked = async (path) => (await fetch(`${ui}/api/v1${path}`)).json();
    const { total } = await asked('/overview?t=all');
    const { runs: listed } = await asked('/runs?limit=500');
    const sum = (name) => listed.reduce((all, run) => all + (run[name] ?? 0), 0);
    for (const outcome of ['confirmed', 'failed', 'unknown', 'submitted']) {
      assert.equal(total.acts[outcome], sum(`${outcome}_count`), outcome);
    }
    assert.deepEqual([total.run_count, total.tokens_in, total.tokens_out],
      [listed.length, sum('tokens_in'), sum('tokens_out')]);
    const seen = { steps: 0, retried: 0, calls: 0 };
    for (const { run_id: id } of listed) {
      for (const { kind, attempts } of (await asked(`/runs/${encodeURIComponent(id)}`)).steps) {
        const kept = attempts.filter(({ span_id: span }) => span).length;
        if (!kept) continue;
        if (kind === 'think') seen.calls += kept;
        if (!['read', 'act', 'reconcile'].includes(kind)) continue;
        seen.steps += 1;
        if (kept > 1) seen.retried += 1;
      }
    }
    assert.deepEqual([total.tool_step_count, total.retried_step_count, total.model_call_count],
      [seen.steps, seen.retried, seen.calls]);
    assert.ok(total.throttled_count >= 6, 'the run that was refused for going too fast');
  },

  async 'rules are tried on a page, without JavaScript, and nothing of it is kept'() {
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(`${ui}/redaction`);
    assert.match(await page.locator('main').innerText(), /Built-in rules[^]*more that are on/);
    const rule = '[[rules]]\nid = "order"\ntype = "pattern"\npattern = "ord_[0-9]+"\n';
    await page.locator('textarea[name="sample"]').fill('refund ord_4812 to card 4111 1111 1111 1111 <b>');
    await page.locator('textarea[name="rules"]').fill(rule);
    await page.locator('input[name="kept"]').check();
    await page.locator('.playground button').click();
    const after = await page.locator('pre.after').innerText();
    assert.match(after, /^refund [^]*order[^]*to card [^]*card-number <b>$/, after);
    assert.ok(!after.includes('4812') && !after.includes('4111'), after);
    assert.match(await page.locator('.fired').innerText(), /2 places changed by 2 rules[^]*records would be left otherwise/);
    await page.locator('textarea[name="rules"]').fill('[[rules]]\nid = "bad"\ntype = "pattern"\npattern = "("\n');
    await page.locator('.playground button').click();
    assert.match(await page.locator('.fired').innerText(), /can't be used[^]*`bad`[^]*line 1/);
    await page.goto(`${ui}/redaction`);
    assert.equal(await page.locator('textarea[name="sample"]').inputValue(), '');
  },

  async 'pages work without JavaScript, and on a phone'() {
    const page = await newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    for (const path of ['/runs', `/runs/${runs.get('timeout-naive').run}`, '/accounts', '/unknowns', '/keys', '/findings', '/alerts', '/readiness',
      '/redaction', '/status', '/about/findings', '/about/conventions', '/docs', '/docs/scale', '/overview', '/about/words', '/search', '/search?q=refund']) {
      const response = await page.goto(ui + path);
      assert.equal(response.status(), 200, path);
      assert.ok(await page.locator('h1').innerText(), path);
    }
  },
};

await tell(stories, chrome);
