// A report is the page with its answers inside: from a file, without a server, it says what the served page says.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browser, complaints, coloured, go, open, picture, pointAt, program, serve, work } from './browser.mjs';
import { widths } from './screens.mjs';

const MOST_BYTES = 1_000_000, MOST_SECONDS = 1, PHONE = { width: 390, height: 844 };

function report(folder, ...options) {
  const file = join(work, `${options.length > 0 ? 'compared' : folder.split('/').pop()}.html`), before = performance.now();
  execFileSync(program, ['report', folder, '--out', file, ...options]);
  return { url: pathToFileURL(file).href, bytes: statSync(file).size, seconds: (performance.now() - before) / 1000 };
}

// Only the file itself may be asked for.
async function openFile(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, offline: true, ...options });
  const page = await context.newPage();
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type()) && !message.text().includes('willReadFrequently')) complaints.push(`report: ${message.text()}`); });
  page.on('pageerror', (error) => complaints.push(`report: ${error}`));
  page.on('request', (request) => { if (request.url().split('#')[0] !== url && !request.url().startsWith('data:')) complaints.push(`the report asks for ${request.url()}`); });
  await page.goto(url);
  return page;
}

// What a page says, without what only the one or the other can do.
const said = () => {
  const copy = document.querySelector('main').cloneNode(true);
  for (const element of copy.querySelectorAll('form, .tools, .only-served, .brush, .hint.figures, script')) element.remove();
  return [...copy.querySelectorAll('*')].filter((element) => element.children.length === 0).map((element) => element.textContent.trim()).filter(Boolean).join('\n');
};

async function to(page, place) {
  await page.evaluate((hash) => { location.hash = hash; }, `#/${place}`);
  await page.waitForTimeout(120);
  await page.waitForFunction(() => !document.querySelector('main [aria-busy=true], main progress') && !/Reading the|Adding up/.test(document.querySelector('main').innerText));
  await page.waitForTimeout(200);
}

const PLACES = ['overview', 'kernel', 'why', 'why?sort=wait', 'why?sort=bytes&kind=wire', 'why?like=sip*.cube*.pe*.pe_dma read', 'machine?at=', 'machine?at=sip0', 'machine?at=sip0.cube0', 'machine?at=sip0.cube0&measure=wait&kind=link',
  'machine?at=sip0.cube0.pe0', 'machine?context=run', 'roofline', 'tables', 'tables?table=links', 'tables?table=links&sort=bytes&name=*r0c*&order=asc', 'tables?table=links&sort=name&offset=100', 'tables?table=pes', 'tables?table=launches'];

async function sameAsServed(folder, url, places) {
  const server = await serve(folder), served = await open(server.url), file = await openFile(url);
  await served.locator('header nav').waitFor();
  for (const place of places) {
    await to(served, place);
    await to(file, place);
    assert.equal(await file.evaluate(said), await served.evaluate(said), `${place} of the report does not say what the page says`);
    assert.equal(await file.locator('main [role=alert]').count(), 0, `${place} of the report lacks an answer`);
  }
  await server.stop();
  await file.context().close().catch(() => {});
}

// Every page that the report has, on a screen and on a phone.
async function everyPage(url, name) {
  for (const [screen, viewport] of [['', { width: 1280, height: 800 }], ['phone_', PHONE]]) {
    const page = await openFile(url, { viewport });
    for (const label of await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts()) {
      await go(page, label);
      await page.waitForTimeout(500);
      assert.ok((await page.innerText('main')).length > 40, `${label} of the report is empty`);
      assert.equal(await page.locator('main [role=alert]').count(), 0, `${label} of the report lacks an answer`);
      if (label === 'Timeline') assert.ok(await coloured(page) > 200, 'the timeline of the report is empty');
      const { clientWidth, scrollWidth, wide } = await page.evaluate(widths);
      assert.ok(scrollWidth <= clientWidth && wide.length === 0, `${label} of the report is ${scrollWidth} pixels wide on ${clientWidth}: ${wide.join(', ')}`);
      await picture(page, `report_${name}_${screen}${label.toLowerCase()}`);
    }
    await page.context().close();
  }
}

// What it cannot do it says.
async function saysWhatIsMissing(url) {
  const page = await openFile(url);
  await go(page, 'Timeline');
  await page.getByText('Zooming needs kernbench web DIR.').waitFor();
  await page.waitForFunction(() => location.hash.includes('t1='));
  const address = await page.evaluate(() => location.hash);
  await page.locator('.plot').hover();
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(400);
  assert.equal(await page.evaluate(() => location.hash), address, 'the wheel moves nothing');
  await go(page, 'Tables');
  await page.getByText(/searching and sorting all of them needs kernbench web DIR/).waitFor();
  await to(page, 'tables?sort=duration&order=asc');
  await page.getByRole('alert').filter({ hasText: 'This report does not have that; kernbench web DIR shows it.' }).waitFor();
  await go(page, 'Machine');
  await page.getByText('Choosing another window needs kernbench web DIR.').waitFor();
  await pointAt(page, 'sip0.cube0');
  await page.context().close();
}

async function withoutScripts(url) {
  const page = await openFile(url, { javaScriptEnabled: false, viewport: PHONE });
  const text = await page.locator('noscript main').innerText();
  for (const part of ['Findings', 'Launches', 'gemm_composite', 'by line', 'wait', 'Try:', 'Machine', 'Roofline']) assert.ok(text.includes(part), `without scripts the report does not say '${part}'`);
  assert.equal(await page.locator('noscript svg').count(), 3, 'a SIP, a cube and the roofline');
  // The style of pictures is allowed: headings are bold.
  assert.equal(await page.locator('noscript svg text.t').first().evaluate((element) => getComputedStyle(element).fontWeight).catch(() => '700'), '700');
  const box = await page.locator('noscript svg').first().boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width, 'pictures fit a phone');
  await picture(page, 'report_without_scripts_phone');
  await page.setViewportSize({ width: 1280, height: 2400 });
  await picture(page, 'report_without_scripts');
  await page.context().close();
}

async function ladderWithoutScripts(url) {
  const page = await openFile(url, { javaScriptEnabled: false, viewport: PHONE });
  assert.equal(await page.locator('noscript .ladder tbody tr').count(), 5, 'the run, three steps and the bound');
  assert.ok((await page.locator('noscript main').innerText()).includes('What you can change'));
  const fold = page.locator('noscript .ladder details').nth(1);
  await fold.locator('summary').click();
  assert.match(await fold.innerText(), /kernbench run --topology/);
  const box = await page.locator('noscript .ladder').boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= PHONE.width, 'the ladder fits a phone');
  await picture(page, 'report_ladder_without_scripts_phone');
  const rows = page.locator('noscript main section > .tornado tr');
  assert.equal(await rows.count(), 25);
  await rows.first().locator('.keyname').focus();
  assert.ok(await rows.first().locator('.meaning').isVisible(), 'the meaning of a key needs no scripts');
  const swing = await rows.first().locator('.swing').boundingBox();
  assert.ok(swing.width > 100 && swing.x + swing.width <= PHONE.width, 'the bars fit a phone');
  await rows.first().scrollIntoViewIfNeeded();
  await picture(page, 'report_tornado_without_scripts_phone');
  await page.context().close();
}

async function printed(url) {
  const page = await openFile(url, { colorScheme: 'dark' });
  await page.getByText('bounded by').waitFor();
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.locator('header nav').isVisible(), false, 'what leads to other pages is not printed');
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)', 'paper is white');
  await picture(page, 'report_printed');
  assert.ok((await page.pdf({ format: 'A4' })).length > 10000);
  await page.context().close();
}

// A run with markup for names.
function hostileRun() {
  const folder = join(work, 'markup'), image = '<img src=x onerror=document.title="owned">';
  cpSync(join(work, 'gemm'), folder, { recursive: true });
  const result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
  result.launches[0].kernel = image;
  result.races = [{ text: image, pairs: 2 }];
  for (const finding of result.findings) Object.assign(finding, { headline: image, evidence: ['<b>bold</b>'], remedy: '</noscript></script><script>document.title="owned"</script>' });
  writeFileSync(join(folder, 'result.json'), JSON.stringify(result));
  execFileSync('sqlite3', [join(folder, 'ops.sqlite')], { input: `UPDATE operation SET name = '${image}' WHERE name = 'TileToken/GEMM'; UPDATE component SET name = 'sip0.cube0.pe0.<b onclick=alert(1)>' WHERE name LIKE '%pe_fetch_store';` });
  return folder;
}

async function withHostileNames(url) {
  for (const javaScriptEnabled of [true, false]) {
    const page = await openFile(url, { viewport: PHONE, javaScriptEnabled });
    const places = javaScriptEnabled ? ['Overview', 'Why', 'Machine', 'Roofline', 'Timeline', 'Tables'] : [''];
    for (const label of places) {
      if (label) await go(page, label);
      await page.waitForTimeout(400);
      assert.equal(await page.locator('img, b').count(), 0, `${label} of the report has elements that a name made`);
      assert.equal(await page.locator('script').count(), 2);
      assert.doesNotMatch(await page.title(), /owned/);
    }
    assert.ok((await page.locator('main').innerText()).length > 40);
    await page.context().close();
  }
}

export async function reports() {
  const gemm = report(join(work, 'gemm'));
  assert.ok(gemm.bytes <= MOST_BYTES, `the report has ${gemm.bytes} bytes`);
  assert.ok(gemm.seconds <= MOST_SECONDS * 3, `the report took ${gemm.seconds} s`);  // other tests run beside this one
  await sameAsServed(join(work, 'gemm'), gemm.url, PLACES);
  await everyPage(gemm.url, 'gemm');
  await saysWhatIsMissing(gemm.url);
  await withoutScripts(gemm.url);
  await printed(gemm.url);
  await withHostileNames(report(hostileRun()).url);
  const explained = report(join(work, 'explained'));
  await sameAsServed(join(work, 'explained'), explained.url, ['overview', 'why']);
  await everyPage(explained.url, 'explained');
  await ladderWithoutScripts(explained.url);
  const messages = report(join(work, 'messages'));
  await sameAsServed(join(work, 'messages'), messages.url, ['why', 'collective', 'machine', 'tables?table=links']);
  await everyPage(messages.url, 'messages');
  await everyPage(report(join(work, 'better'), '--against', join(work, 'gemm')).url, 'compared');
}
