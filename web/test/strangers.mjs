// Runs and clients that mean no good.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { go, open, picture, serve, work } from './browser.mjs';

const finding = (headline, evidence, remedy, rule = 'imbalance') => ({ rule, launch: null, gain_ns: 1, of_ns: 2, factor: 2, headline, evidence, remedy, chain: [] });

async function oddResult(gemm) {
  // Names that are markup, a finding without evidence, no operations.
  const odd = join(work, 'odd');
  mkdirSync(odd);
  const result = JSON.parse(readFileSync(join(gemm, 'result.json'), 'utf8'));
  result.launches[0].kernel = '<img src=x onerror=document.title="owned">';
  result.findings = [finding('half of the pseudo-channels idle', [], 'tile_n=256')];
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
}

async function hostileNames(gemm) {
  const result = JSON.parse(readFileSync(join(gemm, 'result.json'), 'utf8'));
  result.launches[0].kernel = '<img src=x onerror=document.title="owned">';
  // Names that are markup in the operation log: of a kernel, a block and an operation.
  const hostile = join(work, 'hostile');
  cpSync(gemm, hostile, { recursive: true });
  result.findings = [finding('<img src=x onerror=alert(1)>', ['<svg onload=alert(1)>'], '<script>alert(1)</script>', '<b>rule</b>')];
  // Names without a place to break them.
  const long = 'a_name_that_somebody_made_'.repeat(9);
  result.findings.push(finding(long, [long], long, long));
  result.bench = { name: long, params: { [long]: { value: long, origin: 'cli' } } };
  result.launches[0].label = long;
  writeFileSync(join(hostile, 'result.json'), JSON.stringify(result));
  execFileSync('sqlite3', [join(hostile, 'ops.sqlite')], { input: `UPDATE operation SET name = '<img src=x onerror=document.title="owned">' WHERE name = 'TileToken/GEMM';
    UPDATE component SET name = 'sip0.cube0.pe0.<b onclick=alert(1)>' WHERE name LIKE '%pe_fetch_store';
    UPDATE place SET tensor = '<img src=x onerror=alert(1)>', range = '${long}' WHERE tensor <> '';
    UPDATE source SET text = '<img src=x onerror=alert(1)>' || char(10) || text || '${long}';` });
  const markup = await serve(hostile);
  const hostilePage = await open(markup.url, { viewport: { width: 390, height: 844 } });
  for (const label of ['Overview', 'Kernel', 'Why', 'Machine', 'Roofline', 'Timeline', 'Tables']) {
    await go(hostilePage, label);
    await hostilePage.waitForTimeout(600);
    assert.equal(await hostilePage.locator('img, b, script:not([src])').count(), 0, `${label} has elements that a name made`);
    assert.doesNotMatch(await hostilePage.title(), /owned/);
    assert.ok(await hostilePage.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), `${label} is wider than a phone`);
  }
  await hostilePage.getByText('sip0.cube0.pe0.<b onclick=alert(1)>').first().waitFor();
  await go(hostilePage, 'Timeline');
  await hostilePage.locator('.legend.bottom', { hasText: '<img src=x' }).waitFor();
  await picture(hostilePage, 'hostile');
  await markup.stop();
}

async function manyConnections(gemm) {
  // Ten thousand connections: more than there may be are refused, and the page is served afterwards.
  const busy = await serve(gemm);
  const { port } = new URL(busy.url), sockets = [];
  let turned = 0;
  for (let i = 0; i < 10000; ++i) {
    const socket = connect({ port: Number(port), host: '127.0.0.1' });
    socket.on('error', () => { ++turned; });
    socket.on('data', () => { ++turned; });  // it is told so
    sockets.push(socket);
    if (i % 500 === 499) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  for (let i = 0; i < 100 && turned < 9000; ++i) await new Promise((resolve) => setTimeout(resolve, 100));
  for (const socket of sockets) socket.destroy();
  assert.ok(turned > 9000, `of ten thousand ${turned} were refused`);
  // The server sees their ends one by one, on a busy computer for seconds; a page asks for many things at a time.
  const serves = async () => (await Promise.all(Array.from({ length: 12 }, () => fetch(busy.url).then((answer) => answer.ok, () => false)))).every(Boolean);
  for (let i = 0; i < 300 && !await serves(); ++i) await new Promise((resolve) => setTimeout(resolve, 100));
  await (await open(busy.url)).getByText('bounded by').waitFor();
  await busy.stop();
}

export async function strangers(gemm) {
  await oddResult(gemm);
  await hostileNames(gemm);
  await manyConnections(gemm);
}
