// What else a server shows: the runs of a folder, a sweep, a machine without a run.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { config, open, picture, pointAt, program, serve, simulate, refused, work } from './browser.mjs';

const cells = (page, column) => page.locator(`.data tbody tr > :nth-child(${column})`).allInnerTexts();

// A folder with runs of several kinds below it; `runs` of work.
export function folderOfRuns() {
  const top = join(work, 'runs'), copy = (from, to) => cpSync(join(work, from), join(top, to), { recursive: true });
  if (existsSync(top)) return top;
  mkdirSync(join(top, 'deep', 'below'), { recursive: true });
  copy('gemm', 'gemm');
  copy('better', 'deep/better');
  simulate(join('runs', 'a copy'), '--bench', 'copy', '--topology', config('one_pe'));
  const put = (name, result) => { mkdirSync(join(top, name)); writeFileSync(join(top, name, 'result.json'), typeof result === 'string' ? result : JSON.stringify(result)); };
  const result = JSON.parse(readFileSync(join(work, 'gemm', 'result.json'), 'utf8'));
  put('old', { ...result, schema: 1, version: '0.1.0' });
  put('torn', '{"schema": 2, "launches": [');
  put('plain', { ...result, ok: false, error: { code: 'DEADLOCK', message: 'no one sends' } });
  put('<img src=x onerror=document.title="owned">', { ...result, bench: { name: '<b>bold</b>' } });
  symlinkSync(join(work, 'messages'), join(top, 'link'));
  return top;
}

export async function runs() {
  const server = await serve(folderOfRuns());
  assert.match(server.said(), /The runs below '.*' are shown at/);
  const page = await open(server.url);
  await page.getByText('7 runs').waitFor();
  await page.locator('.runs[aria-busy=false]').waitFor();
  await page.getByText('was written by kernbench 0.1.0 with schema 1').waitFor();
  await page.getByText('result.json:1:').waitFor();
  assert.equal(await page.locator('img, b').count(), 0, 'a name is markup');
  assert.equal(await page.getByText('messages').count(), 0, 'a link that leads out is followed');
  await page.getByRole('row', { name: / plain matmul-composite reference.yaml 118\.9 µs .* failed no/ }).waitFor();
  await page.getByRole('row', { name: /a copy copy one_pe\.yaml .* ok yes/ }).waitFor();
  await picture(page, 'runs');

  // Search, sort, the chosen ones.
  await page.getByLabel('Search').fill('composite deep');
  await page.waitForFunction(() => document.querySelectorAll('.runs tbody tr').length === 1);
  assert.match(page.url(), /q=composite\+deep/);
  await page.getByLabel('Search').fill('');
  await page.getByRole('link', { name: 'longest launch' }).click();
  await page.locator('th[aria-sort=descending]', { hasText: 'longest launch' }).waitFor();
  assert.equal((await cells(page, 2))[0].replace(/.*gemm|plain|<img.*/, 'one of the long ones'), 'one of the long ones');
  await page.getByLabel('Show').selectOption('recorded');
  await page.waitForFunction(() => document.querySelectorAll('.runs tbody tr').length === 3);

  // One opens in the same page, and there is a way back.
  await page.getByRole('link', { name: 'deep/better' }).click();
  await page.getByText('bounded by').waitFor();
  await page.getByRole('link', { name: 'Timeline', exact: true }).click();
  await page.locator('.label').first().waitFor();
  assert.match(page.url(), /#\/@deep%2Fbetter\/timeline/);
  await page.reload();
  await page.locator('.label').first().waitFor();
  const [csv] = await Promise.all([page.waitForEvent('download'), page.evaluate(() => { location.hash = location.hash.replace(/timeline.*/, 'tables'); }).then(() => page.getByRole('link', { name: 'CSV' }).click())]);
  assert.match(readFileSync(await csv.path(), 'utf8'), /^seq,start_ns/);
  await page.getByRole('link', { name: '‹ runs' }).click();
  await page.getByText('choose two to compare').waitFor();

  // Two beside each other: the older one is A.
  await page.getByLabel('compare gemm').check();
  await page.getByLabel('compare deep/better').check();
  await page.getByRole('link', { name: /^compare .* \(A\) with .* \(B\)$/ }).click();
  await page.getByText('Where the difference comes from').waitFor();
  assert.match(page.url(), /#\/@[^/]+\/@[^/]+\/compare/);
  assert.match(await page.locator('.facts-line').first().innerText(), /^A (gemm|deep\/better)\s+B (gemm|deep\/better)/);
  await page.goBack();
  await page.getByText('choose two to compare').waitFor();

  // An address that leads nowhere says so, and leads back.
  refused(/\.\.%2Fmessages/);
  await page.evaluate(() => { location.hash = '#/@..%2Fmessages/overview'; });
  await page.getByRole('alert').filter({ hasText: "there is no run '../messages' below this folder" }).waitFor();
  await page.getByRole('link', { name: '‹ runs' }).click();
  await page.getByText('7 runs').waitFor();
  await server.stop();
}

// A sweep whose points have a front; one of them with its run.
export function folderOfSweep() {
  const folder = join(work, 'sweeps', 'tiles');
  if (existsSync(folder)) return folder;
  writeFileSync(join(work, 'tiles.yaml'), `workload: matmul-composite
topology: ${config('one_pe')}
set: {m: 128, k: 128, n: 128, tile_m: 32, tile_n: 32}
axes:
  tile_k: {set: tile_k, values: [32, 64, 128]}
  hbm_gbs: {machine: cube.memory_map.hbm_channel_bw_gbs, range: {from: 16, to: 64, factor: 2}}
columns:
  time_ns: max /launches/*/pe_exec_ns/max
  tflops: 2 * 128 * 128 * 128 / time_ns / 1000
keep: runs
objectives: [{column: hbm_gbs, goal: min}, {column: tflops, goal: max}]
`);
  execFileSync(program, ['sweep', 'tiles.yaml'], { cwd: work });
  return folder;
}

export async function sweep() {
  const folder = folderOfSweep(), server = await serve(folder);
  assert.match(server.said(), /The sweep of '.*' is shown at/);
  const page = await open(server.url);
  await page.getByText('sweep of 9 points').waitFor();
  assert.deepEqual(await page.locator('.roles td').allInnerTexts().then((roles) => roles.filter(Boolean)), ['axis', 'objective, min', 'result', 'objective, max']);
  await page.locator('.sweepfigure .front').waitFor();
  assert.equal(await page.locator('.sweepfigure .best').count(), 3, 'the largest tile is the best at each bandwidth');
  await picture(page, 'sweep_front');

  // The table sorts, filters, and shows a point with its command.
  await page.getByRole('link', { name: 'time_ns' }).click();
  await page.locator('th[aria-sort=descending]', { hasText: 'time_ns' }).waitFor();
  assert.equal((await page.locator('.points tbody tr').first().innerText()).split(/\s+/).slice(0, 3).join(' '), '0 32 16');
  await page.getByLabel('Filter', { exact: true }).fill('tile_k>32 hbm_gbs=16');
  await page.getByRole('button', { name: 'Filter' }).click();
  await page.getByText('2 points', { exact: true }).waitFor();
  await page.getByRole('link', { name: '3', exact: true }).click();
  const command = await page.locator('.command').innerText();
  assert.match(command, /^kernbench run --bench matmul-composite --topology .*one_pe.yaml .*--set tile_k=64 --set cube\.memory_map\.hbm_channel_bw_gbs=16 --record point3$/);
  await picture(page, 'sweep_point');

  // The command gives the values of the point.
  const wanted = await page.getByRole('row', { name: /^time_ns/ }).locator('td').first().innerText();
  execFileSync('bash', ['-c', command.replace(/^kernbench/, '"$0"'), program], { cwd: work, stdio: 'ignore' });
  const result = JSON.parse(readFileSync(join(work, 'point3', 'result.json'), 'utf8'));
  assert.equal(String(Number(Math.max(...result.launches.map(({ pe_exec_ns }) => pe_exec_ns?.max ?? 0)).toPrecision(6))), wanted);

  await page.getByRole('link', { name: 'all points' }).click();
  await page.getByRole('button', { name: 'heat map' }).click();
  await page.waitForFunction(() => document.querySelectorAll('.heatcell').length === 9);
  await picture(page, 'sweep_heat');
  await page.getByRole('button', { name: 'scatter' }).click();
  await page.getByLabel('colour').selectOption('tile_k');
  await page.waitForFunction(() => document.querySelectorAll('.sweepfigure .dot[fill]').length === 9);
  // A click on a point opens its run, and there is a way back.
  await page.locator('.sweepfigure a').first().click();
  await page.getByText('bounded by').waitFor();
  assert.match(page.url(), /#\/@runs%2F/);
  await page.getByRole('link', { name: '‹ sweep' }).click();
  await page.getByText('sweep of 9 points').waitFor();
  await server.stop();

  // Half a sweep, and a damaged one.
  const half = join(work, 'half');
  mkdirSync(half);
  cpSync(join(folder, 'journal'), join(half, 'journal'), { recursive: true });
  const early = await serve(half), earlyPage = await open(early.url);
  await earlyPage.getByText('This sweep has no table yet; its journal has 9 answers.').waitFor();
  writeFileSync(join(half, 'points.sqlite'), 'torn');
  refused(new RegExp(`^${new URL(early.url).origin}/`));
  await (await open(early.url)).getByRole('alert').filter({ hasText: 'it is not the table of a sweep, or it is damaged' }).waitFor();
  await early.stop();
}

export async function machineAlone() {
  const server = await serve(config('reference'));
  assert.match(server.said(), /The machine of '.*reference\.yaml' is shown at/);
  const page = await open(server.url);
  await page.getByText('2 SIPs, 32 cubes, 256 PEs').waitFor();
  await page.getByText('108 wires between its parts').waitFor();
  const tip = await pointAt(page, 'sip0.cube0');
  await page.mouse.click(tip.x, tip.y);
  await page.getByRole('navigation', { name: 'Part of the machine' }).getByRole('link', { name: 'cube0', exact: true }).waitFor();
  await page.locator('.machineview[aria-busy=false]').waitFor();
  await picture(page, 'machine_alone');
  const slice = await pointAt(page, 'sip0.cube0.hbm_ctrl.pe0 pc3');
  assert.doesNotMatch(await page.locator('.tooltip').innerText(), /busy|not in use/);
  await page.mouse.click(slice.x, slice.y);
  await page.getByRole('row', { name: 'num_pcs 8' }).waitFor();
  await page.getByRole('row', { name: /r0c0 → \S+ router_to_hbm 256 GB\/s/ }).waitFor();
  await picture(page, 'machine_block');
  await page.locator('.machineplot').focus();
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => new URLSearchParams(location.hash.split('?')[1]).get('at') === 'sip0');
  await server.stop();
  execFileSync('bash', ['-c', '"$0" topology --topology "$1" --json > "$2"', program, config('one_pe'), join(work, 'topology.json')]);
  const file = await serve(join(work, 'topology.json')), other = await open(file.url);
  await other.getByText('1 SIP, 1 cube, 1 PE').waitFor();
  await file.stop();
}
