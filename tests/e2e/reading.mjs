// How runs are read in a real Chromium: lists that are shown as one wants them and keep a name, attempts beside each
// other, a run that is watched while it goes on, all of it by keyboard and on a phone.
// Usage: CHROMIUM=/path node reading.mjs UI_ADDRESS OTLP_HTTP_ADDRESS DEMO_OUTPUT_FILE
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { open, passes, tell } from './chrome.mjs';
import { demoRuns } from './pages.mjs';

const [ui, http, output] = process.argv.slice(2);
const runs = demoRuns(output);
const chrome = await open(ui);
const { newPage } = chrome;
/** A page that takes long to draw is asked for less often: what is live may take a while on a busy machine. */
const LIVE = 60_000;
const LOOKS = [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 390, height: 844 } }];

const hex = (bytes) => randomBytes(bytes).toString('hex');
const text = (key, value) => ({ key, value: { stringValue: value } });

/** Sends steps of one run: tool calls that began some seconds ago, one after the other. */
async function send(trace, run, names, { ended = true, session = null } = {}) {
  const now = BigInt(Date.now()) * 1_000_000n;
  const spans = names.map((name, at) => ({
    traceId: trace, spanId: hex(8), name: `execute_tool ${name}`, kind: 3,
    startTimeUnixNano: String(now + BigInt(at) * 1_000_000n),
    endTimeUnixNano: ended ? String(now + BigInt(at) * 1_000_000n + 500_000n) : '0',
    attributes: [text('gen_ai.operation.name', 'execute_tool'), text('gen_ai.tool.name', name), text('recount.run.id', run),
      text('gen_ai.tool.call.arguments', JSON.stringify({ order: name, lines: Array.from({ length: 12 }, (_, n) => ({ sku: `LMP-${n}`, note: 'a lamp that flickers when it is cold' })) })),
      ...(session ? [text('gen_ai.conversation.id', session)] : [])],
  }));
  const answer = await fetch(`${http}/v1/traces`, {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ resource: { attributes: [text('service.name', 'reading')] }, scopeSpans: [{ scope: { name: 'reading' }, spans }] }] }),
  });
  assert.equal(answer.status, 200, await answer.text());
}

/** Opens a page until it shows this: what was sent is a moment on its way. */
async function shows(page, path, selector) {
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await fetch(ui + path)).status === 200) break;
    await page.waitForTimeout(200);
  }
  for (let tries = 0; tries < 60; tries += 1) {
    await page.goto(ui + path);
    if (await page.locator(selector).count()) return;
    await page.waitForTimeout(300);
  }
  throw new Error(`${path} never shows ${selector}`);
}

const stories = {
  async 'a list is shown by session, in other columns, by other clocks, and back'() {
    const session = `chat-${hex(3)}`;
    for (const n of [1, 2, 3]) await send(hex(16), `visit-${session}-${n}`, ['look_up'], { session });
    const page = await newPage({ timezoneId: 'Asia/Tokyo' });
    await shows(page, `/runs?q=session%3A${session}`, `tr:has-text("visit-${session}-3")`);
    await page.locator('.display > summary').click();
    await page.locator('.display label', { hasText: 'Session' }).first().locator('input').check();
    await page.locator('.display label', { hasText: 'Cost' }).locator('input').uncheck();
    await page.locator('.display label', { hasText: 'Together by session' }).locator('input').check();
    await page.locator('.display button', { hasText: 'Use Asia/Tokyo' }).click();
    await page.waitForURL((url) => url.searchParams.get('tz') === 'Asia/Tokyo');
    const url = new URL(page.url());
    assert.equal(url.searchParams.get('q'), `session:${session}`);
    assert.match(await page.locator('.newer').innerText(), /3 runs, by session, the latest first, times in Asia\/Tokyo/);
    assert.match(await page.locator('.group-head').innerText(), new RegExp(`${session}[^]*3 runs`));
    const heads = await page.locator('table.runs thead th').allInnerTexts();
    assert.ok(heads.includes('Session') && !heads.includes('Cost'), heads.join());
    const time = page.locator('.run-started time').first();
    assert.match(await time.getAttribute('datetime'), /^20\d\d-.*Z$/);
    assert.match(await time.innerText(), /\d\d:\d\d:\d\d[^]*(ago|just now)/);
    // The run knows the list: the next one is one key away, and the way back leads to the same list.
    await page.locator('.row-link').first().click();
    await page.waitForURL((address) => address.pathname.includes(session));
    const first = new URL(page.url()).pathname;
    await page.keyboard.press(']');
    await page.waitForURL((address) => address.pathname !== first && address.pathname.includes(session));
    await page.keyboard.press('[');
    await page.waitForURL((address) => address.pathname === first);
    await page.locator('.session-runs summary').click();
    assert.equal(await page.locator('.session-runs li').count(), 3);
    await page.locator('.crumbs a').first().click();
    await page.waitForURL((address) => address.searchParams.get('tz') === 'Asia/Tokyo' && address.searchParams.get('q') === `session:${session}`);
  },

  async 'a stretch of time is chosen by a bar, by dragging, and by keyboard'() {
    const page = await newPage();
    await page.goto(`${ui}/runs`);
    const all = page.url();
    const bar = page.locator('.histogram a').first();
    const said = await bar.getAttribute('aria-label');
    await bar.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.has('from'));
    assert.equal(Number(said.match(/^[\d,]+/)[0].replace(',', '')), await page.locator('td.run-name').count(), said);
    await page.goto(all);
    const box = await page.locator('.histogram svg').boundingBox();
    await page.mouse.move(box.x + 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2, box.y + 20, { steps: 4 });
    assert.equal(await page.locator('.brush').count(), 1, 'what is chosen is seen');
    await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'));
    assert.match(await page.locator('.query-help').innerText(), /Started from .* to .* UTC\. Any time/);
    await page.locator('.query-help a').click();
    await page.waitForURL((url) => !url.searchParams.has('from'));
    await page.locator('.histogram a').first().focus();
    await page.keyboard.press('Shift+ArrowRight');
    assert.match(await page.locator('[data-brush-says]').textContent(), /Enter shows only these/);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.has('from'));
  },

  async 'a list gets a name, is found under it, and loses it again'() {
    const page = await newPage();
    await page.goto(`${ui}/runs?q=outcome%3Aunknown`);
    const name = `Open ones ${hex(2)}`;
    await page.locator('.views > summary').click();
    await page.locator('#view-name').fill(name);
    await page.keyboard.press('Enter');
    await page.locator('.views a[aria-current]', { hasText: name }).waitFor({ state: 'attached' });
    await page.goto(`${ui}/runs`);
    await page.locator('.views > summary').click();
    await page.locator('.views a', { hasText: name }).click();
    await page.waitForURL((url) => url.searchParams.get('q') === 'outcome:unknown');
    await page.goto(`${ui}/views`);
    const row = page.locator('tr', { hasText: name });
    await row.locator('input[name="name"]').fill(`${name} now`);
    await row.locator('button', { hasText: 'Rename' }).click();
    await page.locator('td a', { hasText: `${name} now` }).waitFor();
    await page.locator('tr', { hasText: `${name} now` }).locator('button', { hasText: 'Remove' }).click();
    await page.locator('tr', { hasText: name }).waitFor({ state: 'detached' });
  },

  async 'two attempts of a step stand beside each other'() {
    const page = await newPage();
    await page.goto(`${ui}/runs/${runs.get('timeout-naive').run}`);
    await page.locator('.attempt .row-link').first().click();
    await page.waitForURL((url) => url.searchParams.has('span'));
    await page.keyboard.press('c');
    await page.waitForURL((url) => url.pathname.endsWith('/compare'));
    const shown = await page.locator('main').innerText();
    assert.match(shown, /Attempt 1[^]*Attempt 2/);
    for (const part of [/Arguments/, /Result|Outcome/, /saw|Context/i]) assert.match(shown, part);
  },

  async 'a run is watched while it goes on'() {
    const [trace, run] = [hex(16), `watched-${hex(3)}`];
    await send(trace, run, ['first']);
    const page = await newPage({ viewport: { width: 1440, height: 420 } });
    await shows(page, `/runs/${run}`, '.step:has-text("first")');
    await page.waitForFunction(() => document.querySelector('[data-live-says]')?.textContent.startsWith('Live.'));
    await send(trace, run, ['still_going'], { ended: false });
    await page.locator('.step', { hasText: 'still_going' }).waitFor({ timeout: LIVE });
    await send(trace, run, Array.from({ length: 30 }, (_, n) => `step_${n}`));
    await page.locator('.step', { hasText: 'step_29' }).waitFor({ timeout: LIVE, state: 'attached' });
    // Whoever reads further up is not moved, and told where the end is.
    await page.evaluate(() => scrollTo(0, 0));
    await send(trace, run, ['the_last']);
    await page.locator('.step', { hasText: 'the_last' }).waitFor({ timeout: LIVE, state: 'attached' });
    const resume = page.locator('[data-resume]');
    await resume.waitFor({ state: 'visible' });
    assert.equal(await page.evaluate(() => scrollY), 0);
    await resume.click();
    await page.waitForFunction(() => [...document.querySelectorAll('.steps > .step')].at(-1).getBoundingClientRect().top < innerHeight);
  },

  async 'a list follows, and waits for who reads further down'() {
    const page = await newPage({ viewport: { width: 1440, height: 500 } });
    await page.goto(`${ui}/runs`);
    await page.waitForFunction(() => document.querySelector('[data-live-says]')?.textContent.startsWith('Live.'));
    const [top, below] = [`arrived-${hex(3)}`, `arrived-${hex(3)}`];
    await send(hex(16), top, ['look_up']);
    await page.locator('.run-name', { hasText: top }).waitFor({ timeout: LIVE });
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await send(hex(16), below, ['look_up']);
    await page.locator('[data-live-says]', { hasText: 'changed since' }).waitFor({ timeout: LIVE, state: 'attached' });
    assert.equal(await page.locator('.run-name', { hasText: below }).count(), 0, 'nothing moves under the reader');
    await page.locator('[data-resume]').click();
    await page.locator('.run-name', { hasText: below }).waitFor({ timeout: LIVE });
  },

  async 'the double refund is found by keyboard alone'() {
    const page = await newPage();
    await page.goto(`${ui}/unknowns`);
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.waitForURL((url) => url.pathname === '/runs');
    await page.keyboard.press('/');
    await page.keyboard.type(`run:${runs.get('timeout-naive').run}`);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('q')?.startsWith('run:'));
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === `/runs/${runs.get('timeout-naive').run}`);
    await page.keyboard.press('u');
    await page.waitForFunction(() => /Attempt 1 of 2/.test(document.querySelector('.inspector').innerText));
    const focus = await page.evaluate(() => getComputedStyle(document.activeElement.closest('.row'), '::before').outlineStyle !== 'none');
    assert.ok(focus, 'where the focus is, is seen');
    await page.keyboard.press('?');
    assert.ok(await page.locator('#shortcuts').isVisible());
    await page.keyboard.press('Escape');
    assert.ok(!await page.locator('#shortcuts').isVisible());
  },

  async 'a body folds, is searched and is copied whole'() {
    const [trace, run] = [hex(16), `bodies-${hex(3)}`];
    await send(trace, run, ['ship_lamps']);
    const page = await newPage({ permissions: ['clipboard-read', 'clipboard-write'] });
    await shows(page, `/runs/${run}?tab=happened`, '.json');
    const json = page.locator('.inspector .json').first();
    await json.locator('summary').nth(1).click();
    assert.ok(!await json.getByText('LMP-11').isVisible(), 'folded away');
    await page.locator('.find-in input').fill('lmp-11');
    await page.waitForFunction(() => document.querySelector('.find-in [role="status"]').textContent === '1 of 1');
    assert.ok(await json.getByText('LMP-11').isVisible(), 'what is found is unfolded');
    assert.equal(await page.evaluate(() => CSS.highlights.get('found-here').size), 1);
    await json.locator('summary').nth(1).click();
    await json.locator('xpath=following-sibling::button[1]').click();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.equal(copied.lines.length, 12, 'what is folded away is copied too');
  },

  async 'lists, views and runs pass axe in light, dark and on a phone, with their menus open'() {
    for (const look of LOOKS) {
      const page = await newPage({ ...look, bypassCSP: true });
      for (const path of ['/runs', '/runs?group=session&cols=effects,session,tools,steps,started&tz=Europe/Berlin',
        '/runs?q=nowhere', '/views', '/unknowns', '/findings', `/runs/${runs.get('stale-worker').run}`,
        `/runs/${runs.get('timeout-naive').run}?tab=saw`]) {
        await page.goto(ui + path);
        await passes(page, `${path} ${JSON.stringify(look)}`);
        for (const menu of await page.locator('main .menu > summary, .session-runs > summary, .offered > summary').all()) {
          await menu.click();
          await passes(page, `${path} ${JSON.stringify(look)} with ${await menu.innerText()}`);
          await menu.click();
        }
      }
    }
  },

  async 'a phone without JavaScript reads a list, a session and a run'() {
    const page = await newPage({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } });
    await page.goto(`${ui}/runs`);
    await page.locator('.display > summary').click();
    await page.locator('.display label', { hasText: 'Together by session' }).click();
    await page.locator('.display button', { hasText: 'Show' }).click();
    assert.equal(new URL(page.url()).searchParams.get('group'), 'session');
    await page.goto(`${ui}/runs`);
    await page.locator('.histogram a').first().evaluate((bar) => bar.getAttribute('href')).then((href) => page.goto(ui + href));
    assert.match(await page.locator('.query-help').innerText(), /Started from/);
    await page.locator('.views > summary').click();
    assert.ok(await page.locator('#view-name').isVisible());
    await page.goto(`${ui}/runs/${runs.get('timeout-naive').run}`);
    assert.equal(await page.locator('.crumbs a[rel="next"]').count(), 1);
  },
};

await tell(stories, chrome);
