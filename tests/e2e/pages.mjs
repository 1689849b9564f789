// Every page of the demo, by its address: pages.json with what its runs are called filled in. A test of the house
// (`web::walk`) holds pages.json against the table of addresses.
import { readFileSync } from 'node:fs';

/** The runs the demo printed: `demo scenario=… run=… refunds=… …`. */
export function demoRuns(output) {
  const runs = new Map();
  for (const line of readFileSync(output, 'utf8').split('\n')) {
    if (!line.startsWith('demo ')) continue;
    const fields = Object.fromEntries(line.slice(5).split(' ').map((field) => field.split('=')));
    if (!runs.has(fields.scenario)) runs.set(fields.scenario, fields);
  }
  return runs;
}

/** Asks the API until it answers with something: what the demo sent may still be on its way. */
async function asked(ui, path, chosen) {
  for (let tries = 0; tries < 60; tries += 1) {
    const found = chosen(await (await fetch(`${ui}/api/v1${path}`)).json());
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`nothing is found at ${path}`);
}

/** The addresses of pages.json, whole. */
export async function everyPage(ui, runs) {
  const listed = JSON.parse(readFileSync(new URL('pages.json', import.meta.url), 'utf8'));
  const known = new Map();
  for (const [scenario, { run }] of runs) known.set(`run:${scenario}`, run);
  const naive = runs.get('timeout-naive').run;
  known.set('step:timeout-naive', await asked(ui, `/runs/${naive}`, ({ steps }) =>
    steps?.find(({ attempts }) => attempts.length > 1)?.step_id));
  known.set('case', await asked(ui, '/cases?state=all', ({ cases }) => cases?.[0]?.case_id));
  known.set('key', await asked(ui, '/actions', ({ actions }) => actions?.find(({ key_given: given }) => given)?.key));
  known.set('account', await asked(ui, '/entities/account', ({ entities }) => entities?.[0]?.entity.replace(/^account:/, '')));
  const filled = (path) => path.replace(/\{([^}]+)\}/g, (whole, name) => {
    if (!known.has(name)) throw new Error(`${path}: nothing is called ${name}`);
    return encodeURIComponent(known.get(name));
  });
  return Object.values(listed).flat().map(filled);
}
