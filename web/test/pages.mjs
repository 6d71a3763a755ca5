// The page in a real browser: node web/test/pages.mjs KERNBENCH [FOLDER OF PICTURES [PLUG-IN OF examples/engines]]
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { browser, coloured, complaints, end, go, open, picture, pointAt, serve, simulate, work } from './browser.mjs';
import { energy, energyCompared } from './energy.mjs';
import { byKeys, machineByKeys } from './keys.mjs';
import { cutLadder, explained, hostileLadder, ladder, withoutLadder } from './ladder.mjs';
import { requests, step } from './models.mjs';
import { machineAlone, runs, sweep } from './more_places.mjs';
import { collective, compare, engineOfAPlugin, races } from './more_runs.mjs';
import { kernel, machine, overview, roofline, tables, timeline, why } from './one_run.mjs';
import { reports } from './report.mjs';
import { screens } from './screens.mjs';
import { strangers } from './strangers.mjs';
import { hostileTornado, tornado, withoutTornado } from './tornado.mjs';

try {
  const gemm = await serve(simulate('gemm', '--set', 'reuse_a=off', '--bench', 'matmul-composite'));
  const page = await open(gemm.url);
  const served = await page.evaluate(async () => (await fetch('/app.js')).text());
  assert.ok(served === readFileSync(new URL('../dist/app.js', import.meta.url), 'utf8'), 'the program has another page than web/dist: build it again');
  await overview(page);
  await picture(page, 'overview');
  await kernel(page);
  await why(page);
  await machine(page);
  await machineByKeys(page);
  await roofline(page);
  await timeline(page);
  await tables(page);
  const dark = await open(gemm.url, { colorScheme: 'dark' });
  await dark.getByText('bounded by').waitFor();
  await picture(dark, 'overview_dark');
  await go(dark, 'Timeline');
  assert.ok(await coloured(dark) > 200);
  await picture(dark, 'timeline_dark');
  const stranger = await browser.newContext();
  const refused = await (await stranger.newPage()).goto(new URL('/', gemm.url).href);
  assert.equal(refused.status(), 403, 'without the token nothing is shown');
  for (const label of ['Compare', 'Collective']) assert.equal(await page.getByRole('link', { name: label }).count(), 0, `there is nothing for ${label}`);
  await gemm.stop();
  await compare(join(work, 'gemm'));
  await collective();
  await races();
  await energy();
  await energyCompared();
  const measured = explained();
  await ladder(measured);
  await withoutLadder(measured);
  await cutLadder(measured);
  await hostileLadder(measured);
  await tornado(measured);
  await withoutTornado(measured);
  await hostileTornado(measured);
  if (process.argv[4]) await engineOfAPlugin(process.argv[4]);
  else console.log('without a plug-in, its engine is not looked at');
  await runs();
  await sweep();
  await machineAlone();
  await requests();
  await step();
  await screens();
  await reports();

  await strangers(join(work, 'gemm'));

  // The whole machine, on a large screen.
  const all = await serve(simulate('all', '--bench', 'matmul-composite-multi-pe'));
  const large = await open(all.url, { viewport: { width: 3840, height: 2160 } });
  await large.getByText('bounded by').waitFor();
  await picture(large, 'overview_large');
  await go(large, 'Timeline');
  assert.ok(await coloured(large) > 5000);
  await picture(large, 'timeline_large');
  await go(large, 'Machine');
  await pointAt(large, 'sip1.cube15');
  await picture(large, 'machine_large');
  await go(large, 'Timeline');
  await large.getByRole('button', { name: 'blocks', exact: true }).click();
  await large.getByText('pe_gemm').first().waitFor();
  await picture(large, 'timeline_blocks_large');
  await byKeys(large);
  await all.stop();
  // What the browser says of the page that was refused on purpose is no complaint: it has another context.
  assert.deepEqual(complaints, []);
  console.log('the pages are as they have to be');
} finally {
  await end();
}
