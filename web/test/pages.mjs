// The page in a real browser: node web/test/pages.mjs KERNBENCH [FOLDER OF PICTURES]
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [program, pictures] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'kernbench-web-'));
if (pictures) mkdirSync(pictures, { recursive: true });

function simulate(name, ...options) {
  const folder = join(work, name);
  execFileSync(program, ['run', '--quiet', '--record', folder, ...options]);
  return folder;
}

const servers = new Set();

// The server of a folder; ends with Ctrl-C and without a complaint.
async function serve(folder, ...options) {
  const server = spawn(program, ['web', folder, '--port', '0', '--no-open', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.add(server);
  let text = '';
  const url = await new Promise((resolve, reject) => {
    server.stdout.on('data', (data) => {
      text += data;
      const found = /http:\S+/.exec(text);
      if (found) resolve(found[0]);
    });
    server.on('exit', () => reject(new Error(`kernbench web ended: ${text}`)));
  });
  const ended = new Promise((resolve) => server.on('exit', (code) => { servers.delete(server); resolve(code); }));
  const stop = async () => {
    for (const context of browser.contexts()) await context.close();  // what they still ask for would fail
    server.kill('SIGINT');
    assert.equal(await ended, 0);
  };
  return { url, stop };
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const complaints = [];

async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.text().includes('willReadFrequently')) return;  // of this test's own look at the pixels
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => { if (!/abort/i.test(request.failure()?.errorText ?? '')) complaints.push(`${request.url()} ${request.failure()?.errorText}`); });
  page.on('request', (request) => { if (!request.url().startsWith(new URL(url).origin)) complaints.push(`another server is asked: ${request.url()}`); });
  await page.goto(url);
  return page;
}

// What the page shows, for people to look at.
async function picture(page, name) {
  await page.waitForTimeout(250);
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

const go = async (page, label) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: label }).click();

// How many pixels of the plot are painted in colour.
const painted = (page) => page.evaluate(() => {
  const canvas = document.querySelector('.plot');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 30 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) ++count;
  }
  return count;
});
const coloured = (page) => page.waitForFunction(() => document.querySelector('.plot')?.width > 1).then(async () => {
  for (let i = 0; i < 100 && (await painted(page)) < 200; ++i) await page.waitForTimeout(50);
  return painted(page);
});

// Waits until the details are those of the operation in the address, and another one than `before`; its number.
async function shownOperation(page, before) {
  const found = await page.waitForFunction((old) => {
    const op = new URLSearchParams(location.hash.split('?')[1]).get('op');
    return op && op !== old && document.querySelector('.details')?.innerText.includes(`number\n${op}\n`) && op;
  }, before);
  return found.jsonValue();
}

async function overview(page) {
  await page.getByText('bounded by').waitFor();
  const text = await page.innerText('main');
  for (const part of ['Launches', 'gemm_composite', 'DMA channel busy', 'How busy its resources were', 'read channel', '99.', 'host alone', 'critical path']) {
    assert.ok(text.includes(part), `the overview does not say '${part}'`);
  }
  assert.ok(await page.locator('.findings li').count() >= 1, 'the findings of the run are shown');
  assert.ok(text.includes('256 PEs'), 'the machine is shown');
  assert.equal(await page.locator('.bar').count(), 1);
  assert.ok(await page.locator('.bar rect').count() >= 4, 'the bar of the launch has its parts');
  assert.equal(new URL(page.url()).search, '', 'the token stays in no address that one might copy');
}

async function timeline(page) {
  await go(page, 'Timeline');
  assert.ok(await coloured(page) > 200, 'nothing is painted');
  const labels = await page.locator('.label .text').allInnerTexts();
  for (const label of ['sip0', 'cube0', 'pe0', 'pe_dma', 'pe_gemm']) assert.ok(labels.includes(label), `no row ${label}`);
  await page.waitForFunction(() => location.hash.includes('t1='));
  const span = () => page.evaluate(() => { const v = new URLSearchParams(location.hash.split('?')[1]); return Number(BigInt(v.get('t1')) - BigInt(v.get('t0'))); });
  const first = await span();
  assert.ok(first > 118e9 && first < 130e9, `it opens on the launch of 118.9 µs, not on ${first} fs`);
  await picture(page, 'timeline');

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
  const details = await page.locator('.details').innerText();
  assert.match(details, /sip0\.cube0\.pe0\.pe_dma/);
  assert.match(details, /takes/);
  await page.mouse.move(459, 258);
  await picture(page, 'timeline_details');
  const kept = await page.evaluate(() => location.hash);
  assert.match(kept, /op=\d+/);
  await page.reload();
  await page.locator('.details dl').waitFor();
  assert.equal(await page.locator('.details').innerText(), details, 'the address has the state');
  await page.keyboard.press('Tab');

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

// A point of the machine's picture at which the figures of `id` are shown.
async function pointAt(page, id) {
  const found = await page.waitForFunction((wanted) => {
    const canvas = document.querySelector('.machineplot');
    const box = canvas?.getBoundingClientRect();
    for (let y = 3; y < box?.height; y += 7) {
      for (let x = 3; x < box.width; x += 7) {
        const at = { clientX: box.left + x, clientY: box.top + y, bubbles: true };
        canvas.dispatchEvent(new PointerEvent('pointermove', at));
        if (canvas.dataset.part === wanted) return { x: at.clientX, y: at.clientY };
      }
    }
    return null;
  }, id, { timeout: 60000, polling: 200 });
  const point = await found.jsonValue();
  await page.mouse.move(point.x, point.y);
  await page.locator('.tooltip strong', { hasText: id }).waitFor();
  return point;
}

async function why(page) {
  await go(page, 'Why');
  await page.getByText('Where the time of each PE went (1 PEs)').waitFor();
  await page.locator('.columnchart').focus();
  await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => /sip0\.cube0\.pe0: .*GEMM .*DMA channel busy/.test(document.querySelector('.figures').textContent));
  await page.getByRole('row', { name: /sip\*\.cube\*\.pe\*\.pe_dma read DMA channel 1 99\.\d %/ }).waitFor();
  await picture(page, 'why');
  await page.getByRole('link', { name: 'sip*.cube*.hbm_ctrl.pe* pc*' }).click();
  await page.getByText('8 were in use').waitFor();
  const channel = page.getByRole('row', { name: /sip0\.cube0\.hbm_ctrl\.pe0 pc\d HBM channel .* of 32 GB\/s/ });
  assert.equal(await channel.count(), 8);
  await page.getByRole('link', { name: 'sip0.cube0.hbm_ctrl.pe0 pc3' }).click();
  await page.getByRole('link', { name: 'timeline of sip0.cube0.pe0' }).waitFor();
}

async function machine(page) {
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
  await page.getByRole('button', { name: 'bytes' }).click();
  await page.getByRole('link', { name: 'whole run' }).click();
  await page.waitForFunction(() => document.querySelector('.brush').textContent.includes(', 0 after'));
  await page.locator('.hottest li', { hasText: 'sip0.io0.pcie_ep → sip0.io0.io_noc' }).waitFor();
}

async function roofline(page) {
  await go(page, 'Roofline');
  // 2 x 512^3 operations in 118.8 µs, half of what 32 GB/s x 8 channels would feed.
  await page.getByRole('row', { name: /gemm_composite sip0 GEMM 15\.5 2\.26 Tops\/s 3\.97 Tops\/s 56\.\d % HBM 16\.5 MiB/ }).waitFor();
  await page.getByRole('row', { name: /TileToken\/GEMM GEMM 2 048 32\.77 µs 27\.6 % 8\.19 Tops\/s 100 %/ }).waitFor();
  assert.equal(await page.locator('.roofline a').count(), 1, 'the tiles have no MATH');
  await picture(page, 'roofline');
}

async function tables(page) {
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
  await page.getByText('gemm_composite').waitFor();
  await picture(page, 'launches');
}

async function collective() {
  const messages = await serve(simulate('messages', '--bench', 'ccl-allreduce'));
  const page = await open(messages.url);
  await go(page, 'Collective');
  await page.getByText('62 messages, 992 B, 32 ranks').waitFor();
  await page.getByText('critical chain of 9 messages').waitFor();
  await page.getByRole('row', { name: /sip1\.cube14\.pe0 sip1\.cube15\.pe0 16 B 811\.5 ns 30\.91 ns 682\.0 ns/ }).waitFor();
  await picture(page, 'collective');
  const box = await page.locator('.ranksplot').boundingBox();
  for (let x = 140; x < box.width && await page.locator('.tooltip').count() === 0; x += 3) await page.locator('.ranksplot').hover({ position: { x, y: 300 } });
  assert.match(await page.locator('.tooltip').innerText(), /→[^]*under way/);
  await page.mouse.down();
  await page.mouse.up();
  await page.locator('.label.focus', { hasText: /^.*pe0/ }).waitFor();
  await messages.stop();
}

async function compare(folder) {
  const better = await serve(simulate('better', '--bench', 'matmul-composite', '--set', 'cube.pe_template.components.pe_dma.attrs.rd_outstanding=4'), '--against', folder);
  const page = await open(better.url);
  await go(page, 'Compare');
  await page.getByText('Where the difference comes from').waitFor();
  const text = await page.innerText('main');
  for (const part of ['118.9 µs → 67.74 µs', '1.76x as fast', 'cube.pe_template.components.pe_dma.attrs.rd_outstanding', '−51.20 µs', 'DMA channel busy']) {
    assert.ok(text.includes(part), `the comparison does not say '${part}'`);
  }
  await page.locator('.pair .bar').nth(1).waitFor();
  assert.equal(await page.locator('.pair .bar').count(), 2);
  await page.getByRole('row', { name: /small_transfers gone 1\.76x/ }).waitFor();
  await page.getByRole('row', { name: /pe_dma read DMA channel 99\.\d %/ }).waitFor();
  await picture(page, 'compare');
  await better.stop();
}

try {
  const gemm = await serve(simulate('gemm', '--bench', 'matmul-composite'));
  const page = await open(gemm.url);
  await overview(page);
  await picture(page, 'overview');
  await why(page);
  await machine(page);
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

  // Names that are markup, findings of any shape, no operations.
  const odd = join(work, 'odd');
  mkdirSync(odd);
  const result = JSON.parse(readFileSync(join(work, 'gemm', 'result.json'), 'utf8'));
  result.launches[0].kernel = '<img src=x onerror=document.title="owned">';
  result.findings = ['a sentence', { rule: 'imbalance', headline: 'half of the pseudo-channels idle', evidence: { channels: [1, 3] }, remedy: 'tile_n=256', gain_ns: 'x' }, 7, null];
  writeFileSync(join(odd, 'result.json'), JSON.stringify(result));
  const without = await serve(odd);
  const oddPage = await open(without.url);
  await oddPage.getByText('half of the pseudo-channels idle').waitFor();
  assert.equal(await oddPage.locator('img').count(), 0);
  assert.ok((await oddPage.innerText('main')).includes('<img src=x'));
  await picture(oddPage, 'findings');
  await go(oddPage, 'Timeline');
  await oddPage.getByText('has no operations').waitFor();
  await without.stop();

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
  await large.getByRole('button', { name: 'blocks' }).click();
  await large.getByText('pe_gemm').first().waitFor();
  await picture(large, 'timeline_blocks_large');
  await all.stop();
  // What the browser says of the page that was refused on purpose is no complaint: it has another context.
  assert.deepEqual(complaints, []);
  console.log('the pages are as they have to be');
} finally {
  for (const server of servers) server.kill();
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
