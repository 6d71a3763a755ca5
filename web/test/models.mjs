// What commands about models wrote: served requests, several rates, and a step beside another one.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { config, open, picture, program, refused, serve, work } from './browser.mjs';

const example = new URL('../../examples/serving', import.meta.url).pathname;

function served(name, ...options) {
  const folder = join(work, name);
  if (!existsSync(folder)) execFileSync(program, ['model', 'requests', 'trace.jsonl', '--profile', 'card', '--model', 'config.json', '--blocks', '1500', '--max-seqs', '128', '--prefix-cache', '--quiet', '--out', folder, ...options], { cwd: example });
  return folder;
}
export const folderOfRequests = () => served('served');
export const folderOfRates = () => served('rates', '--sweep-rate', '1:16:9');

// A step of four layers, and one with a slower memory.
export function filesOfSteps() {
  const folder = join(work, 'steps'), files = ['step.json', 'slower.json'].map((name) => join(folder, name));
  if (existsSync(folder)) return files;
  mkdirSync(folder);
  writeFileSync(join(folder, 'tiny.json'), JSON.stringify({
    model_type: 'llama', torch_dtype: 'bfloat16', hidden_size: 256, intermediate_size: 512, num_hidden_layers: 4, num_attention_heads: 4, num_key_value_heads: 2, head_dim: 64, vocab_size: 1024, max_position_embeddings: 8192,
  }));
  const step = (file, ...options) => execFileSync(program, ['model', 'step', join(folder, 'tiny.json'), '--topology', config('one_cube'), '--set', 'energy.defaults=hbm2_7nm', '--out', file, ...options], { stdio: 'ignore' });
  step(files[0]);
  step(files[1], '--set', 'cube.memory_map.hbm_channel_bw_gbs=16');
  return files;
}

const rowOf = (page, name) => page.getByRole('row', { name });
const valuesIn = (page, name) => page.evaluate((key) => new URLSearchParams(location.hash.split('?')[1]).get(key), name);

export async function requests() {
  const folder = folderOfRequests(), server = await serve(folder), page = await open(server.url);
  assert.match(server.said(), /The requests of '.*' are shown at/);
  // The figures are those that the command prints.
  await rowOf(page, 'time to first token (TTFT) 89.80 ms 59.35 ms 220.5 ms 330.1 ms 428.6 ms 483.6 ms').waitFor();
  await page.getByText('3.242 requests/s').waitFor();
  await page.getByText('91.3 % of 1 500 at most').waitFor();
  await page.getByText('45 568 of 122 595 input tokens found in the prefix cache').waitFor();
  assert.equal(await page.getByRole('img', { name: /^running: at most 29, waiting: at most/ }).count(), 1);
  await page.getByRole('img', { name: /^ttft_ms of 160 requests: p50 59\.3488, p99 428\.555/ }).waitFor();
  await page.getByText('a preempted request computes its tokens again').waitFor();
  await picture(page, 'requests');

  // The longest first; another order; a filter that the other figures follow.
  const first = () => page.locator('.points tbody tr').first().innerText().then((text) => text.split(/\s+/));
  assert.deepEqual((await first()).slice(0, 2), ['91', '8737.02']);
  await page.getByRole('link', { name: 'ttft_ms', exact: true }).click();
  await page.locator('th[aria-sort=descending]', { hasText: 'ttft_ms' }).waitFor();
  assert.equal((await first())[2], '483.619');
  await page.getByLabel('Filter', { exact: true }).fill('ttft_ms>200 input<1000');
  await page.getByRole('button', { name: 'Filter' }).click();
  const rows = readFileSync(join(folder, 'requests.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(','));
  const wanted = rows.filter((row) => Number(row[9]) > 200e6 && Number(row[3]) < 1000).length;
  assert.ok(wanted > 1 && wanted < 20, `${wanted} requests are a bad example`);
  await page.locator('.tools .right', { hasText: `${wanted} requests` }).waitFor();
  assert.equal(await page.locator('.points tbody tr').count(), wanted);
  await page.getByRole('img', { name: new RegExp(`^ttft_ms of ${wanted} requests`) }).waitFor();
  await page.getByRole('img', { name: new RegExp(`^${wanted} requests from 0 to`) }).waitFor();
  await page.getByRole('link', { name: 'all requests' }).click();

  // A piece of time, and a request in it.
  await page.getByRole('img', { name: /^160 requests from 0 to/ }).waitFor();
  assert.equal(await page.getByRole('link', { name: /^request \d+: input \d+, ttft_ms [\d.]+$/ }).count(), 160);
  const strip = await page.locator('.brush canvas').boundingBox();
  await page.locator('.brush canvas').scrollIntoViewIfNeeded();
  await page.locator('.brush canvas').hover({ position: { x: strip.width * 0.4, y: 30 } });
  await page.mouse.down();
  await page.locator('.brush canvas').hover({ position: { x: strip.width * 0.6, y: 30 } });
  await page.mouse.up();
  await page.waitForFunction(() => !/ from 0 to /.test(document.querySelector('.ranksplot').getAttribute('aria-label')));
  const inside = rows.filter((row) => Number(row[5]) / 1e9 <= 30 && Number(row[6]) / 1e9 >= 20).length;
  const label = await page.locator('.ranksplot').getAttribute('aria-label'), found = Number(/^(\d+) requests/.exec(label)[1]);
  assert.ok(Math.abs(found - inside) <= 2, `${found} requests from the 20th to the 30th second, not ${inside}`);
  await page.locator('.ranksplot').hover({ position: { x: 200, y: 20 } });
  assert.match(await page.locator('.tooltip').innerText(), /request \d+\s*arrives at [^]*queuing [^]*output/);
  await page.locator('.ranksplot').click({ position: { x: 200, y: 20 } });
  await page.getByRole('heading', { name: /^Request \d+$/ }).waitFor();
  const point = Number(await valuesIn(page, 'point')), mine = rows.find((row) => Number(row[1]) === point);
  assert.ok((await page.locator('section', { hasText: `Request ${point}` }).first().innerText()).includes(`output ${mine[4]}`));
  await page.getByRole('img', { name: /^time since the token before: at most [\d.]+$/ }).waitFor();
  assert.equal((await page.getByRole('img', { name: /^time since the token before/ }).locator('polyline').getAttribute('points')).split(' ').length, Number(mine[4]) - 1, 'a gap before each token but the first');
  await picture(page, 'requests_window');
  await server.stop();
  await damagedRequests(folder);
  await rates();
}

// One sentence for what is damaged; the rest is shown.
async function damagedRequests(whole) {
  const folder = join(work, 'damaged_requests');
  cpSync(whole, folder, { recursive: true });
  const file = (name) => join(folder, name), text = readFileSync(file('requests.csv'), 'utf8'), server = await serve(folder);
  const shows = async (sentence) => {
    const page = await open(server.url);
    await page.getByRole('alert').filter({ hasText: sentence }).waitFor();
    assert.equal(await page.getByRole('alert').count(), 1);
    return page;
  };
  writeFileSync(file('requests.csv'), text.slice(0, 5000));
  const cut = await shows('its last line has no end; the file is cut');
  await cut.getByRole('img', { name: /^running: at most 29/ }).waitFor();
  assert.equal(await cut.locator('.points').count(), 0);
  await picture(cut, 'requests_cut');
  writeFileSync(file('requests.csv'), text.replace('TTFT', 'first'));
  await shows("requests.csv:1: it has no column 'TTFT'");
  writeFileSync(file('requests.csv'), text);
  writeFileSync(file('timeline.csv'), 't,prompt_throughput,gen_throughput,running,waiting,kv_cache_pct\n1,2\n');
  await (await shows('timeline.csv:2: the row has 2 cells, and the first line 6')).locator('.points').waitFor();
  // Of a long run, the lines are means.
  writeFileSync(file('timeline.csv'), `t,prompt_throughput,gen_throughput,running,waiting,kv_cache_pct\n${Array.from({ length: 1500 }, (_, i) => `${i + 1},0,0,${i % 3 === 0 ? 9 : 0},0,50\n`).join('')}`);
  const long = await open(server.url);
  await long.getByRole('img', { name: 'running: at most 3, waiting: at most 0' }).getByText('s (means of 3)').waitFor();
  refused(new RegExp(`^${new URL(server.url).origin}/`));
  writeFileSync(file('summary.json'), '{"program": "kernbench", "ttft');
  await shows('summary.json:1:');
  await server.stop();
}

async function rates() {
  const server = await serve(folderOfRates()), page = await open(server.url);
  await page.getByText('At 5.657 requests/s the device serves 4.437 requests/s').waitFor();
  assert.equal(await page.locator('.sweepfigure .dot').count(), 9);
  await page.locator('.sweepfigure text', { hasText: /^knee$/ }).waitFor();
  await rowOf(page, /^5\.65685 4\.43748 .* 24 knee$/).waitFor();
  await page.getByLabel('up').selectOption('ttft_p99_ms');
  await page.getByRole('img', { name: /^ttft_p99_ms over served_per_s, 9 points/ }).waitFor();
  await picture(page, 'rates');
  await server.stop();
}

export async function step() {
  const [file, slower] = filesOfSteps(), alone = await serve(file), page = await open(alone.url);
  assert.match(alone.said(), /The step of '.*step\.json' is shown at/);
  const written = JSON.parse(readFileSync(file, 'utf8'));
  await page.getByText(`${(written.roofline_share * 100).toFixed(1)} % of it`).waitFor();
  assert.equal(await page.locator('.steps tbody tr').count(), written.by_op.length + 2, 'a row for each launch, the gaps and the host');
  const attend = written.by_op.find(({ op }) => op === 'attend');
  await rowOf(page, new RegExp(`^attend ${(attend.ns / 1e3).toPrecision(4).replace('.', '\\.')} µs ${(attend.share * 100).toFixed(1)} % 4 .* memory paged_attention_decode$`)).waitFor();
  await page.getByRole('link', { name: 'all', exact: true }).click();
  await page.locator('th[aria-sort=descending]', { hasText: 'all' }).waitFor();
  assert.match(await page.locator('.steps tbody tr').first().innerText(), /^\s*attend/);
  await page.getByRole('heading', { name: 'Time of each of 4 layers' }).waitFor();
  assert.equal(await page.locator('.sweepfigure rect').count(), 4 * written.by_op.filter(({ each_fs: each }) => each.length === 4).length);
  await page.getByText('Every time is that of a simulation of the whole step').waitFor();
  // Joules, by launch and by part.
  const { energy } = written, micro = (fj) => `${(fj / 1e9).toPrecision(3)} µJ`;
  assert.equal(energy.fj, written.by_op.reduce((sum, row) => sum + row.energy.fj, energy.nobodys.fj));
  await page.getByText(`${micro(energy.fj_per_token)} per token`).waitFor();
  await rowOf(page, new RegExp(`^attend ${((100 * attend.energy.fj) / energy.fj).toFixed(1)} %`)).waitFor();
  await rowOf(page, /^HBM \d/).waitFor();
  await picture(page, 'step');
  writeFileSync(file, JSON.stringify({ ...written, exact: false, approximations: ['<b>sums</b> of a few SIPs'], sample: { layers: 3, of_layers: 4, layer_least_ns: 5, layer_mean_ns: 6, layer_most_ns: 7 } }));
  const sampled = await open(alone.url);
  await sampled.getByText('<b>sums</b> of a few SIPs').waitFor();
  await sampled.getByText('3 of 4 layers were simulated, from 5.000 ns to 7.000 ns').waitFor();
  refused(new RegExp(`^${new URL(alone.url).origin}/`));
  writeFileSync(file, JSON.stringify({ ...written, by_op: written.by_op.map(({ ns, ...rest }) => rest) }));
  await (await open(alone.url)).getByRole('alert').filter({ hasText: 'step.json: /by_op/0/ns is missing' }).waitFor();
  writeFileSync(file, JSON.stringify(written, null, 1));
  await alone.stop();

  const both = await serve(file, '--against', slower), compared = await open(both.url), before = JSON.parse(readFileSync(slower, 'utf8'));
  await compared.getByText(`${(before.tpot_ns / written.tpot_ns).toFixed(2)}x as fast`).waitFor();
  assert.equal(await compared.locator('.bar.shares').count(), 2);
  const other = before.by_op.find(({ op }) => op === 'attend');
  await rowOf(compared, new RegExp(`^attend ${(other.ns / 1e3).toPrecision(4).replace('.', '\\.')} µs ${(attend.ns / 1e3).toPrecision(4).replace('.', '\\.')} µs −`)).waitFor();
  await compared.locator('.sweepfigure .markline').waitFor();
  await picture(compared, 'steps');
  await both.stop();
}
