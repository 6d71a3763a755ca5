// Runs with messages, and two runs beside each other.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { config, go, open, picture, pointAt, serve, simulate, work } from './browser.mjs';

export async function collective() {
  const messages = await serve(simulate('messages', '--bench', 'ccl-allreduce'));
  const page = await open(messages.url);
  await go(page, 'Collective');
  await page.getByText('62 messages, 992 B, 32 ranks').waitFor();
  await page.getByText('critical chain of 9 messages').waitFor();
  await page.getByRole('row', { name: /sip1\.cube14\.pe0 sip1\.cube15\.pe0 16 B 811\.5 ns 30\.91 ns 682\.0 ns/ }).waitFor();
  await page.getByText('alpha-beta estimate of all reduce hierarchical 738.9 ns').waitFor();
  await picture(page, 'collective');
  const box = await page.locator('.ranksplot').boundingBox();
  for (let x = 140; x < box.width && await page.locator('.tooltip').count() === 0; x += 3) await page.locator('.ranksplot').hover({ position: { x, y: 300 } });
  assert.match(await page.locator('.tooltip').innerText(), /→[^]*under way/);
  await page.mouse.down();
  await page.mouse.up();
  await page.locator('.label.focus', { hasText: /^.*pe0/ }).waitFor();

  // A message on the timeline: two arrows, from its send to its copy to its receive, and its way through the machine.
  await go(page, 'Tables');
  await page.getByLabel('Operation', {exact: true}).fill('ipcq_recv');
  await page.getByLabel('Operation', {exact: true}).press('Enter');
  await page.getByText('62 operations').waitFor();
  await page.locator('.data tbody a').first().click();
  await page.waitForFunction(() => document.querySelector('.plot')?.dataset.arrows === '2');
  await page.getByText(/sip\d\.cube\d+\.pe0 → sip\d\.cube\d+\.pe0, .* on the way/).waitFor();
  await picture(page, 'timeline_message');
  await page.getByRole('link', { name: 'Its route in the machine' }).click();
  await page.getByText('Route of a message').waitFor();
  await page.waitForFunction(() => /pe_dma → .*pe_dma, \d+ wires/.test(document.querySelector('.route')?.innerText ?? ''));
  await picture(page, 'machine_message');

  // Why: the chain goes over messages, and the matrix has their senders.
  await go(page, 'Why');
  await page.getByText('Critical chain, back from').waitFor();
  await page.waitForFunction(() => /messages on the way/.test(document.querySelector('.chainsums')?.innerText ?? ''));
  assert.match(await page.locator('.matrix').innerText(), /message from sip\d\.cube\d+/);
  await page.locator('.bar.chain').scrollIntoViewIfNeeded();
  await picture(page, 'why_messages');
  await messages.stop();
}

export async function compare(folder) {
  const better = await serve(simulate('better', '--set', 'reuse_a=off', '--bench', 'matmul-composite', '--set', 'cube.pe_template.components.pe_dma.attrs.rd_outstanding=4'), '--against', folder);
  const page = await open(better.url);
  await go(page, 'Compare');
  await page.getByText('Where the difference comes from').waitFor();
  const text = await page.innerText('main');
  for (const part of ['118.9 µs → 67.74 µs', '1.76x as fast', 'cube.pe_template.components.pe_dma.attrs.rd_outstanding', '−51.20 µs', 'DMA channel busy']) {
    assert.ok(text.includes(part), `the comparison does not say '${part}'`);
  }
  await page.locator('.pair .bar').nth(1).waitFor();
  assert.equal(await page.locator('.pair .bar').count(), 2);
  await page.getByRole('row', { name: /small_transfers gone 1\.81x/ }).waitFor();
  await page.getByRole('row', { name: /pe_dma read DMA channel 99\.\d %/ }).waitFor();
  await page.getByRole('row', { name: /^gemm_composite\.cpp:\d+ wait .* −51\.\d+ µs/ }).waitFor();
  await page.getByRole('row', { name: /^pe dma read wait 1 .* sip0\.cube0\.pe0\.pe_dma$/ }).waitFor();
  await picture(page, 'compare');
  await page.locator('.aligned').scrollIntoViewIfNeeded();
  await picture(page, 'compare_aligned');
  await page.locator('.changemap').scrollIntoViewIfNeeded();
  await pointAt(page, 'sip0.cube0.pe0');
  await page.waitForFunction(() => /\+\d\d\.\d % of the time busy/.test(document.querySelector('.tooltip')?.textContent ?? ''));
  await picture(page, 'compare_pictures');
  await better.stop();

  // Another machine: said on the page, and no map of what lies elsewhere.
  const small = simulate('small', '--set', 'reuse_a=off', '--bench', 'matmul-composite', '--topology', config('one_cube'));
  const other = await serve(small, '--against', folder);
  assert.match(other.said(), /The two runs were made on different topologies: A on .*\(256 PEs\), B on .*one_cube\.yaml \(8 PEs\)/);
  const otherPage = await open(other.url);
  await go(otherPage, 'Compare');
  await otherPage.getByRole('alert').filter({ hasText: 'different topologies' }).waitFor();
  await otherPage.getByText('There is no heat map of the difference').waitFor();
  await picture(otherPage, 'compare_other_machine');
  await other.stop();
}

// An engine of a plug-in that the server has not loaded: examples/engines, 4 PEs that transpose 32 elements in a ns.
export async function engineOfAPlugin(plugin) {
  const machine = new URL('../../examples/engines/machine.yaml', import.meta.url).pathname;
  const server = await serve(simulate('engine', '--plugin', plugin, '--topology', machine, '--bench', 'transpose'));
  const page = await open(server.url);
  await page.getByRole('row', { name: /^TRANSPOSE \d/ }).waitFor();
  await picture(page, 'engine_overview');
  await go(page, 'Why');
  await page.locator('.columnchart').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /TRANSPOSE \d/.test(document.querySelector('.figures').textContent));
  await go(page, 'Roofline');
  await page.locator('.roofline .rooflabel', { hasText: 'TRANSPOSE 128 Gops/s on 4 PEs' }).waitFor();
  await page.getByRole('row', { name: /^transpose TRANSPOSE 48 .* 32 Gops\/s 100 %$/ }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.roofline a circle').length === 1);
  assert.equal(await page.locator('.roofline a circle').getAttribute('fill'), '#3f8f6b', 'the colour of its row');
  await picture(page, 'engine_roofline');
  await page.evaluate(() => { location.hash = '#/machine?at=sip0.cube0.pe0'; });
  await pointAt(page, 'sip0.cube0.pe0.pe_transpose');
  await page.waitForFunction(() => /\d % busy/.test(document.querySelector('.tooltip').textContent));
  await picture(page, 'engine_machine');
  await go(page, 'Timeline');
  const swatch = page.locator('.legend.bottom span', { hasText: /^ *transpose$/ }).locator('rect');
  assert.equal(await swatch.getAttribute('fill'), '#3f8f6b');
  await server.stop();
}

// A run that looked for races; what it found is text.
export async function races() {
  const folder = join(work, 'races'), file = join(folder, 'result.json');
  cpSync(join(work, 'gemm'), folder, { recursive: true });
  const result = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...result, races: [{ text: 'a store and a load of <b>out</b>', pairs: 3 }], races_not_compared: 2 }));
  const server = await serve(folder);
  const page = await open(server.url);
  await page.getByRole('heading', { name: 'Races' }).waitFor();
  await page.getByText('a store and a load of <b>out</b>; 3 pairs like this').waitFor();
  await page.getByText('2 accesses were not compared').waitFor();
  await picture(page, 'races');
  await server.stop();
}
