// Screenshots of every page in light, dark and 390 px, with axe (WCAG 2.2 A and AA), into shots/ (which git ignores).
// Usage: CHROMIUM=/path node screenshots.mjs UI_ADDRESS FOLDER DEMO_OUTPUT_FILE [PATH...]; without paths every page.
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { demoRuns, everyPage } from './pages.mjs';

const [ui, folder, output, ...some] = process.argv.slice(2);
const paths = some.length ? some : await everyPage(ui, demoRuns(output));
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 1000 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 1000 } },
  { name: '390', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS });
let found = 0;
for (const look of LOOKS) {
  const context = await browser.newContext({ ...look, bypassCSP: true });
  const page = await context.newPage();
  for (const path of paths) {
    await page.goto(ui + path);
    const name = path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '').slice(0, 60) || 'home';
    await page.screenshot({ path: `${folder}/${name}.${look.name}.png` });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) { found += 1; console.log(`${path} (${look.name}): ${wide} px too wide`); }
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    }));
    for (const { id, help, nodes } of violations) {
      found += 1;
      console.log(`${path} (${look.name}): ${id}: ${help} (${nodes.length}, first ${nodes[0].target})`);
    }
  }
  await context.close();
}
await browser.close();
process.exit(found ? 1 : 0);
