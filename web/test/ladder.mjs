// The ladder of `kernbench why` on the pages of a run and in its report.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { config, go, open, picture, program, serve, simulate, work } from './browser.mjs';

const SLOW_LINK = ['--set', 'replace[0].links=sip0.cube0.r4c1 -> sip0.cube0.pe5.pe_dma', '--set', 'replace[0].attrs.bw_gbs=16'];
const MEASURED = 'What it waits for, measured';

const explanation = (folder) => join(folder, 'why', 'why.json');
const read = (folder) => JSON.parse(readFileSync(explanation(folder), 'utf8'));

// A run with a slow wire, its ladder of three steps (the wire, padding, and a rate; a line of the kernel is another first step), and its tornado.
export function explained() {
  const folder = simulate('explained', '--topology', config('one_cube'), '--bench', 'gemm-multi-pe', ...SLOW_LINK);
  execFileSync(program, ['why', '--quiet', '--top', '3', folder]);
  execFileSync(program, ['why', '--quiet', '--machine', folder]);
  return folder;
}

export function changed(folder, name, change) {
  const copy = join(work, name);
  cpSync(folder, copy, { recursive: true });
  change(copy);
  return copy;
}

async function steps(page, why) {
  const rows = page.locator('.ladder tbody tr'), gain = (before, after) => `${(before / after).toFixed(2)}x`;
  assert.equal(await rows.count(), why.steps.length + 2, 'the run, its steps and the bound');
  for (const [i, step] of why.steps.entries()) {
    const text = (await rows.nth(i + 1).innerText()).replace(/\s+/g, ' ');
    for (const part of [step.text, step.families[0], step.limiter, gain(step.before_ns, step.time_ns), gain(why.time_ns, step.time_ns)]) assert.ok(text.includes(part), `step ${i + 1} does not say '${part}': ${text}`);
    const width = Number(await rows.nth(i + 1).locator('rect.fill').getAttribute('width'));
    assert.ok(Math.abs(width - 1000 * step.time_ns / why.time_ns) < 0.1, `the bar of step ${i + 1} is ${width} of 1000`);
  }
  assert.ok((await rows.last().innerText()).includes(`bound: ${why.bound}`));
  const mark = await rows.first().locator('i.boundmark').boundingBox(), bar = await rows.first().locator('.bar').boundingBox();
  assert.ok(Math.abs((mark.x + 1 - bar.x) / bar.width - why.bound_ns / why.time_ns) < 0.01, 'the line of the bound stands at its time');
}

async function commands(page, why) {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const row = page.locator('.ladder tbody tr').nth(1);
  await row.getByRole('button', { name: 'copy the command' }).click();
  await row.getByText('copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), why.steps[0].command);
  await row.getByText('show it').click();
  assert.equal(await row.locator('code.command').innerText(), why.steps[0].command);
  const remedies = page.locator('.trials').first();
  assert.equal(await remedies.locator('tbody tr').count(), why.remedies.length);
  assert.ok((await remedies.innerText()).includes(why.remedies[0].text));
}

// From a wire to the machine, and from a line to the source.
async function links(page) {
  await page.locator('.ladder').getByRole('link', { name: 'sip0.cube0.r4c1 -> sip0.cube0.pe5.pe_dma' }).first().click();
  await page.getByRole('heading', { name: 'resources in use' }).waitFor();
  assert.equal(new URLSearchParams((await page.evaluate(() => location.hash)).split('?')[1]).get('mark'), 'sip0.cube0.r4c1 → sip0.cube0.pe5.pe_dma');
  await page.goBack();
  await page.locator('.trials').getByRole('link', { name: /^gemm\.cpp:\d+$/ }).first().click();
  await page.locator('.source tr.chosen', { hasText: 'load' }).waitFor();
}

export async function ladder(folder) {
  const why = read(folder), server = await serve(folder), page = await open(server.url);
  assert.deepEqual(why.steps.slice(0, 2).map(({ families }) => families[0]), ['odd', 'mode']);
  await page.getByText(/Measured: \d+\.\d+x by the first step \(sip0\.cube0\.r4c1 -> .*, \d+\.\d+x by all 3 steps\./).waitFor();
  await go(page, 'Why');
  await page.getByRole('heading', { name: MEASURED }).waitFor();
  await steps(page, why);
  await page.getByText('Cut after 3 steps: kernbench why DIR --top 6 goes on from here.').waitFor();
  await picture(page, 'ladder');
  await commands(page, why);
  await links(page);
  await server.stop();
}

// A ladder of another run, one that cannot be read, and a run without one.
export async function withoutLadder(folder) {
  const edited = (what, change) => (copy) => { const file = join(copy, what); writeFileSync(file, change(readFileSync(file, 'utf8'))); };
  const why = join('why', 'why.json');
  const cases = [
    ['other_inputs', edited('inputs.json', (text) => text.replace('"seed": 1', '"seed": 2')), 'The ladder is not shown: why/why.json is about another run: the machine, the workload or another input was changed'],
    ['other_version', edited(why, (text) => text.replace('kernbench why 1', 'kernbench why 0')), 'The ladder is not shown: why/why.json: schema is "kernbench why 0"'],
    ['damaged', edited(why, (text) => text.replace('"cut": true', '"cut": 1')), 'The ladder is not shown: why/why.json: is damaged: /cut must be true or false, not 1'],
  ];
  for (const [name, change, message] of cases) {
    const server = await serve(changed(folder, name, change)), page = await open(server.url);
    await page.getByText('There is a ladder that is not shown').waitFor();
    await go(page, 'Why');
    await page.getByText(message).waitFor();
    assert.equal(await page.locator('.ladder').count(), 0);
    await server.stop();
  }
}

// A budget that was spent is no end, and no remedies were tried.
export async function cutLadder(folder) {
  const copy = changed(folder, 'cut_ladder', (at) => writeFileSync(explanation(at), JSON.stringify({ ...read(at), out_of_budget: true, remedies: [] })));
  const server = await serve(copy), page = await open(server.url);
  await go(page, 'Why');
  await page.getByText('Cut: the budget is spent. The runs are kept, and the same command goes on.').waitFor();
  await page.getByText('What you can change was not tried: the budget is spent.').waitFor();
  assert.equal(await page.getByText('goes on from here').count(), 0);
  await server.stop();
}

// Names in it are text, on a phone, too.
export async function hostileLadder(folder) {
  const image = '<img src=x onerror=document.title="owned">', long = 'a_name_that_somebody_made_'.repeat(9);
  const copy = changed(folder, 'hostile_ladder', (at) => {
    const why = read(at);
    Object.assign(why.steps[0], { text: image, limiter: long, command: long, families: [image] });
    Object.assign(why.remedies[0], { text: long, command: image });
    why.unknown_accesses = 3;
    writeFileSync(explanation(at), JSON.stringify({ ...why, bound: image }));
  });
  const server = await serve(copy), page = await open(server.url, { viewport: { width: 390, height: 844 } });
  await go(page, 'Why');
  await page.getByRole('heading', { name: MEASURED }).waitFor();
  await page.getByText('3 accesses have indices or masks that data mode off does not know; their times are assumed.').waitFor();
  assert.equal(await page.locator('img').count(), 0);
  assert.doesNotMatch(await page.title(), /owned/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), 'the ladder is wider than a phone');
  await picture(page, 'phone_hostile_ladder');
  await server.stop();
}
