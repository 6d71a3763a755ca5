// The pages of one run: the default GEMM.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { coloured, go, picture, pointAt, shownOperation } from './browser.mjs';

export async function overview(page) {
  await page.getByText('bounded by').waitFor();
  const text = await page.innerText('main');
  // Which line took longest, and what its transfers waited for, on the first screen.
  const lines = page.locator('.longlines li');
  assert.match(await lines.first().innerText(), /gemm_composite, 118\.8 µs: gemm_composite\.cpp:\d+ wait, held by gemm_composite\.cpp:\d+ composite/);
  for (const part of ['Launches', 'gemm_composite', 'DMA channel busy', 'How busy its resources were', 'DMA read channels', '99.', 'host alone', 'critical path']) {
    assert.ok(text.includes(part), `the overview does not say '${part}'`);
  }
  assert.ok(await page.locator('.findings li').count() >= 1, 'the findings of the run are shown');
  const first = await page.locator('.findings li').first().boundingBox();
  assert.ok(first.y + first.height <= 800, `the first finding ends at ${first.y + first.height}: below the first screen`);
  assert.match(text, /bounded by DMA read channels, > 99\.9 % of its kernel busy/);
  assert.ok(text.includes('256 PEs'), 'the machine is shown');
  assert.equal(await page.locator('.bar').count(), 1);
  assert.ok(await page.locator('.bar rect').count() >= 4, 'the bar of the launch has its parts');
  assert.equal(new URL(page.url()).search, '', 'the token stays in no address that one might copy');
}

export async function timeline(page) {
  await go(page, 'Timeline');
  assert.ok(await coloured(page) > 200, 'nothing is painted');
  const labels = await page.locator('.label .text').allInnerTexts();
  for (const label of ['sip0', 'cube0', 'pe0', 'pe_dma', 'pe_gemm']) assert.ok(labels.includes(label), `no row ${label}`);
  await page.waitForFunction(() => location.hash.includes('t1='));
  const span = () => page.evaluate(() => { const v = new URLSearchParams(location.hash.split('?')[1]); return Number(BigInt(v.get('t1')) - BigInt(v.get('t0'))); });
  const first = await span();
  assert.ok(first > 118e9 && first < 130e9, `it opens on the launch of 118.9 µs, not on ${first} fs`);
  await picture(page, 'timeline');

  // The row of the PE shows its states; 72 % of the launch is a wait for a DMA channel.
  await page.waitForFunction(() => Number(document.querySelector('.plot').dataset.states) >= 3);  // SIP, cube, PE
  const row = (await page.locator('.label .text').allInnerTexts()).indexOf('pe0');
  const plot = await page.locator('.plot').boundingBox(), height = await page.evaluate(() => document.querySelector('.label').offsetHeight);
  await page.mouse.move(plot.x + plot.width / 2, plot.y + (row + 0.5) * height);
  await page.waitForFunction(() => /sip0\.cube0\.pe0[^]*DMA channel busy \d\d\.\d %/.test(document.querySelector('.tooltip')?.innerText ?? ''));
  await page.getByRole('button', { name: 'use of blocks' }).click();
  await page.waitForFunction(() => document.querySelector('.plot').dataset.states === '0' && location.hash.includes('show=use'));
  await page.getByRole('button', { name: 'states', exact: true }).click();

  // By keyboard alone: to the row of the DMA engine, in, and from operation to operation.
  await page.locator('.plot').focus();
  for (let i = 0; i < labels.indexOf('pe_dma'); ++i) await page.keyboard.press('ArrowDown');
  for (let i = 0; i < 9; ++i) await page.keyboard.press('+');
  await page.waitForTimeout(500);
  assert.ok(await span() < first / 20, 'plus zooms in');
  await page.keyboard.press('.');
  const shown = await shownOperation(page, '');
  await page.keyboard.press('.');
  await shownOperation(page, shown);
  await page.waitForFunction(() => Number(document.querySelector('.plot').dataset.arrows) >= 2);  // reads > FETCH > GEMM
  const details = await page.locator('.details').innerText();
  assert.match(details, /sip0\.cube0\.pe0\.pe_dma/);
  assert.match(details, /takes/);
  assert.match(await page.locator('.details').innerText(), /\d+ operations, joined by arrows/);
  await page.getByRole('link', { name: 'Its route in the machine' }).waitFor();
  await page.mouse.move(459, 258);
  await picture(page, 'timeline_details');
  const kept = await page.evaluate(() => location.hash);
  assert.match(kept, /op=\d+/);
  await page.reload();
  await page.locator('.details dl').waitFor();
  await page.waitForFunction((wanted) => document.querySelector('.details').innerText === wanted, details);  // the address has the state

  // The way of its data: from the HBM slice over a router to the DMA engine.
  await page.getByRole('link', { name: 'Its route in the machine' }).click();
  await page.getByText(/Route of operation \d+/).waitFor();
  await page.waitForFunction(() => /sip0\.cube0\.hbm_ctrl\.pe0 → sip0\.cube0\.pe0\.pe_dma, 2 wires/.test(document.querySelector('.route')?.innerText ?? ''));
  await picture(page, 'machine_route');
  await page.goBack();
  await page.locator('.details dl').waitFor();

  // By mouse: wheel, drag, fold.
  await page.locator('.plot').hover({ position: { x: 300, y: 100 } });
  await page.mouse.wheel(0, 400);
  await page.waitForTimeout(400);
  assert.ok(await span() > first / 100, 'the wheel zooms out');
  await page.getByRole('button', { name: 'cubes' }).click();
  await page.waitForFunction(() => ![...document.querySelectorAll('.label .text')].some((e) => e.textContent === 'pe_dma'));
  await page.getByRole('button', { name: 'Unfold sip0.cube0' }).click();
  await page.getByText('pe0', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'whole run' }).click();
  await page.waitForTimeout(300);
  assert.ok(await span() > first, 'all of the run is more than its launch');
}

// The wait of the composite has all of the time; its operands have the transfers.
export async function kernel(page) {
  await go(page, 'Kernel');
  await page.getByText('118.8 µs in the kernel on sip0.cube0.pe0, which ended last').waitFor();
  const source = page.locator('.source tr.used', { hasText: 'tl.wait' });
  await source.first().waitFor();
  assert.match(await source.first().innerText(), /100 %\s+118\.8 µs\s+gemm_composite\.cpp:\d+/);
  const rows = (await page.locator('.tensors tbody tr').allInnerTexts()).map((text) => text.replace(/\s+/g, ' '));
  assert.ok(rows.some((text) => /^A 8 MiB DMA channels 7\.\d+ ms, pe0\.pe_dma read/.test(text)), rows.join('\n'));
  assert.equal(await page.locator('.tensors tbody tr').count(), 3, 'A, B and C');
  assert.ok(await page.locator('.source tr.quiet').count() > 5, 'lines without time are there');
  assert.ok(await page.locator('.source .linebar rect').count() >= 3, 'what the PE did');
  await picture(page, 'kernel');
  // To the line that held it, to its operations, and from an operation back to the line.
  await source.first().locator('.held a').first().click();
  await page.locator('.source tr.chosen').waitFor();
  await page.locator('.source tr.used td.number a').first().click();
  await page.getByText(/line kernels\/.*gemm_composite\.cpp:\d+|line .*gemm_composite\.cpp:\d+/).first().waitFor();
  await page.waitForFunction(() => /TileToken\/DMA_READ/.test(document.querySelector('.data tbody')?.innerText ?? ''));
  await page.getByRole('link', { name: /gemm_composite\.cpp:\d+ composite [AB]/ }).first().click();
  await page.locator('.source tr.chosen').waitFor();
}

export async function why(page) {
  await go(page, 'Why');
  await page.getByText('Where the time of each PE went (1 PE)').waitFor();
  await page.locator('.columnchart').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /sip0\.cube0\.pe0: .*GEMM .*DMA channel busy/.test(document.querySelector('.figures').textContent));
  await page.getByRole('row', { name: /sip\*\.cube\*\.pe\*\.pe_dma read DMA channel 1 99\.\d %/ }).waitFor();
  await picture(page, 'why');
  // 118.8 µs of reads back to back, and what follows the last of them.
  await page.getByText('Critical chain, back from sip0.cube0.pe0, which ended last').waitFor();
  await page.waitForFunction(() => /DMA_READ on pe_dma > 99\.9 % 4 096x/.test(document.querySelector('.chainsums')?.innerText ?? ''));
  await page.getByRole('row', { name: /^sip0\.cube0\.pe0 .* DMA_READ .* the launch$/ }).waitFor();
  const waits = await page.locator('.matrix').innerText();
  assert.match(waits, /a DMA channel/);
  assert.match(waits, /sip0\.cube0\.pe0\s+72\.\d %/);
  await page.locator('.bar.chain').scrollIntoViewIfNeeded();
  await picture(page, 'why_chain');
  await page.getByRole('link', { name: 'sip*.cube*.hbm_ctrl.pe* pc*' }).click();
  await page.getByText('8 were in use').waitFor();
  const channel = page.getByRole('row', { name: /sip0\.cube0\.hbm_ctrl\.pe0 pc\d memory channel .* of 32 GB\/s/ });
  assert.equal(await channel.count(), 8);
  await page.getByRole('link', { name: 'sip0.cube0.hbm_ctrl.pe0 pc3' }).click();
  await page.getByRole('link', { name: 'timeline of sip0.cube0.pe0' }).waitFor();
}

export async function machine(page) {
  await go(page, 'Machine');
  await page.getByRole('heading', { name: 'resources in use' }).waitFor();
  const inTray = await pointAt(page, 'sip0.cube0');
  await picture(page, 'machine');
  await page.mouse.click(inTray.x, inTray.y);
  await page.getByRole('link', { name: 'timeline of sip0.cube0' }).waitFor();
  await page.waitForFunction(() => document.querySelector('.machineview').ariaBusy === 'false');
  const pe = await pointAt(page, 'sip0.cube0.pe0');
  await page.waitForFunction(() => /99\.\d % busy/.test(document.querySelector('.tooltip').textContent));
  await picture(page, 'machine_cube');
  await page.mouse.click(pe.x, pe.y);
  const read = await pointAt(page, 'sip0.cube0.pe0.pe_dma read');
  const list = () => page.locator('.hottest').innerText();
  const before = await list();

  // The first tenth of the launch, by dragging.
  const strip = await page.locator('.brush canvas').boundingBox();
  await page.mouse.move(strip.x + 2, strip.y + 30);
  await page.mouse.down();
  await page.mouse.move(strip.x + strip.width * 0.05, strip.y + 30);
  await page.mouse.move(strip.x + strip.width * 0.1, strip.y + 30);
  await page.waitForFunction((old) => document.querySelector('.hottest').innerText !== old, before);  // while it is dragged
  await page.mouse.up();
  // The address follows: a tenth of 118.9 µs.
  await page.waitForFunction(() => {
    const v = new URLSearchParams(location.hash.split('?')[1]);
    const chosen = Number(BigInt(v.get('t1')) - BigInt(v.get('t0')));
    return chosen > 11e9 && chosen < 13e9;
  });
  await picture(page, 'machine_pe');
  await page.mouse.click(read.x, read.y);
  await page.locator('.label.focus', { hasText: 'pe_dma' }).waitFor();
  await page.goBack();
  await page.getByRole('navigation', { name: 'Part of the machine' }).getByRole('link', { name: 'tray' }).click();
  for (const [measure, scale] of [['GB/s', /0\s+[\d.]+ GB\/s/], ['queue', /0\s+[\d ]+ waiting/]]) {
    await page.getByRole('button', { name: measure }).click();
    await page.waitForFunction((wanted) => new RegExp(wanted).test(document.querySelector('.machineview .legend').innerText), scale.source);
    await picture(page, `machine_${measure.replace('/', '')}`);
  }
  await page.getByRole('button', { name: 'bytes' }).click();
  await page.getByRole('link', { name: 'whole run' }).click();
  await page.waitForFunction(() => document.querySelector('.brush').textContent.includes(', 0 after'));
  await page.locator('.hottest li', { hasText: 'sip0.io0.pcie_ep → sip0.io0.io_noc' }).waitFor();
}

export async function roofline(page) {
  await go(page, 'Roofline');
  // 2 x 512^3 operations in 118.8 µs, half of what 32 GB/s x 8 channels would feed.
  await page.getByRole('row', { name: /gemm_composite sip0 GEMM 15\.5 2\.26 Tops\/s 3\.97 Tops\/s 56\.\d % HBM 16\.5 MiB/ }).waitFor();
  await page.getByRole('row', { name: /TileToken\/GEMM GEMM 2 048 32\.77 µs 27\.6 % 8\.19 Tops\/s 100 %/ }).waitFor();
  assert.equal(await page.locator('.roofline a circle').count(), 1, 'the tiles have no MATH');
  for (const roof of ['HBM 256 GB/s', 'TCM 512 GB/s', 'link 256 GB/s']) await page.locator('.roofline .rooflabel', { hasText: roof }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('.roofline .composite').length === 1);  // the only one
  await picture(page, 'roofline');
}

export async function tables(page) {
  await go(page, 'Tables');
  await page.locator('.data tbody tr').first().waitFor();
  assert.ok((await page.innerText('main')).includes('8 707 operations'));
  await page.getByRole('link', { name: 'takes' }).click();
  await page.waitForFunction(() => document.querySelector('[aria-sort="descending"]')?.textContent.includes('takes'));
  await page.waitForFunction(() => document.querySelector('.data tbody tr')?.textContent.includes('composite_gemm'));
  await page.getByLabel('Block').fill('pe_dma');
  await page.getByLabel('Block').press('Enter');
  await page.waitForFunction(() => document.querySelector('main').innerText.includes('4 352 operations'));
  await page.getByRole('link', { name: 'next' }).click();
  await page.getByText('101 to 200').waitFor();
  await picture(page, 'tables');
  const waiting = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV' }).click();
  const rows = readFileSync(await (await waiting).path(), 'utf8').trimEnd().split('\n');
  assert.equal(rows.length, 4353);
  assert.equal(rows[0], 'seq,start_ns,end_ns,duration_ns,component,kind,name');
  await page.getByRole('link', { name: 'Launches' }).click();
  await page.getByText('gemm_composite', { exact: true }).first().waitFor();
  await picture(page, 'launches');
  assert.match(await page.innerText('.data tbody'), /DMA read channels/, 'what bounds it');
  await page.getByRole('link', { name: 'Wires' }).click();
  await page.getByText(/\d+ wires in use/).waitFor();
  await page.getByRole('link', { name: 'longest queue' }).click();
  await page.waitForFunction(() => /4 095/.test(document.querySelector('.data tbody tr')?.textContent ?? ''));
  await page.getByLabel('Block').fill('hbm_ctrl');
  await page.getByLabel('Block').press('Enter');
  await page.getByText('2 wires in use').waitFor();
  await picture(page, 'wires');
  const csv = page.waitForEvent('download');
  await page.getByRole('link', { name: 'CSV' }).click();
  assert.equal(readFileSync(await (await csv).path(), 'utf8').trimEnd().split('\n').length, 3);
  await page.getByRole('link', { name: 'PEs' }).click();
  await page.locator('a[aria-current]', { hasText: 'PEs' }).waitFor();
  await page.getByLabel('During').selectOption({ index: 1 });
  await page.getByRole('row', { name: /sip0\.cube0\.pe0 118\.\d µs 27\.\d % 72\.\d %/ }).waitFor();
  await picture(page, 'pes');
}
