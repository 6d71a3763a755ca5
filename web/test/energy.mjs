// Overview of a run on a machine with coefficients: joules by part, line and time, with their sources.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { config, go, open, picture, serve, simulate, work } from './browser.mjs';

const section = (page) => page.locator('section').filter({ has: page.getByRole('heading', { name: 'Energy', exact: true }) });

const options = ['--bench', 'gemm-multi-pe', '--topology', config('one_cube'), '--set', 'energy.defaults=hbm2_7nm'];

export async function energy() {
  const folder = simulate('joules', ...options);
  const run = await serve(folder);
  const page = await open(run.url), known = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')).energy;
  await section(page).waitFor();
  const text = await section(page).innerText();
  for (const words of ['µJ', 'W on average', 'pJ per FLOP', 'pJ per byte of HBM', 'MAC arrays', 'wires on die', 'gemm.cpp:72 load', 'no launch']) {
    assert.ok(text.includes(words), `the energy of the run does not say '${words}'`);
  }
  const rows = section(page).locator('table.energy tr');
  assert.equal(await rows.count(), known.parts.length, 'each part has a row');
  const most = [...known.parts].sort((a, b) => b.fj - a.fj)[0];
  assert.match(await rows.nth(known.parts.indexOf(most)).innerText(), new RegExp(`${most.label}[^]*${((100 * most.fj) / known.fj).toFixed(1)} %`));
  assert.equal(await section(page).locator('.power polygon').count(), known.parts.length, 'each part has an area over time');
  await section(page).getByText('Coefficients and their sources').click();
  await section(page).getByText('FlooNoC', { exact: false }).waitFor();
  await section(page).getByText('Not counted', { exact: true }).click();
  await section(page).getByText('static power of hbm', { exact: false }).waitFor();
  await picture(page, 'energy');
  await section(page).getByRole('link', { name: 'gemm.cpp:72 load' }).click();
  await page.waitForFunction(() => location.hash.includes('/kernel?'));
  const phone = await open(run.url, { viewport: { width: 390, height: 800 } });
  await section(phone).getByText('Coefficients and their sources').click();
  assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'the energy of a run is wider than a phone');
  await run.stop();
}

// Compare: joules by part and line; other coefficients are named.
export async function energyCompared() {
  const folder = join(work, 'joules'), wide = await serve(simulate('wide', ...options, '--set', 'tile_n=256'), '--against', folder);
  const page = await open(wide.url);
  await go(page, 'Compare');
  await section(page).getByRole('row', { name: /^HBM 70\.5 µJ 69\.5 µJ −1\.02 µJ$/ }).waitFor();
  await section(page).getByRole('row', { name: /^gemm\.cpp:\d+ load A 2\.16 µJ 1\.08 µJ −1\.08 µJ$/ }).waitFor();
  assert.match(await section(page).innerText(), /lies between −2\.00 µJ and −813 nJ/);
  await picture(page, 'compare_energy');
  await wide.stop();

  const other = await serve(simulate('measured', ...options, '--set', 'energy.hbm.bit.pj=2.5', '--set', 'energy.hbm.bit.source=measured'), '--against', folder);
  const otherPage = await open(other.url);
  await go(otherPage, 'Compare');
  await section(otherPage).getByText('The coefficients of A and B differ').waitFor();
  await section(otherPage).getByText('hbm.bit 3.9 → 2.5 pJ per bit').waitFor();
  await other.stop();
}
