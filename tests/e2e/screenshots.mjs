// Screenshots of every page in light, dark and 390 px, with axe (WCAG 2.2 A and AA), into shots/ (which git ignores).
// Usage: CHROMIUM=/path node screenshots.mjs UI_ADDRESS FOLDER DEMO_OUTPUT_FILE [PATH...]; without paths every page.
import { mkdirSync } from 'node:fs';
import { faults, open } from './chrome.mjs';
import { demoRuns, everyPage } from './pages.mjs';

const [ui, folder, output, ...some] = process.argv.slice(2);
const paths = some.length ? some : await everyPage(ui, demoRuns(output));
const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 1000 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 1000 } },
  { name: '390', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

mkdirSync(folder, { recursive: true });
const chrome = await open(ui);
let found = 0;
for (const { name: look, ...options } of LOOKS) {
  const page = await chrome.newPage({ ...options, bypassCSP: true });
  for (const path of paths) {
    await page.goto(ui + path);
    const name = path.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '').slice(0, 60) || 'home';
    await page.screenshot({ path: `${folder}/${name}.${look}.png` });
    for (const fault of await faults(page)) {
      found += 1;
      console.log(`${path} (${look}): ${fault}`);
    }
  }
  await page.context().close();
}
await chrome.close();
process.exit(found ? 1 : 0);
