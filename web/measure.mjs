// Figures of kernbench web on a large run: node web/measure.mjs KERNBENCH [OPERATIONS]
// The database is generated: the resources of a real run, and operations on every block of its PEs. A figure depends on the
// computer and on what else it does, so that nothing fails here.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const program = process.argv[2], operations = Number(process.argv[3] ?? 2e6);
const work = mkdtempSync(join(tmpdir(), 'kernbench-web-'));
const row = (name, value, bar = '') => console.log(`${name.padEnd(46)} ${String(value).padStart(12)}   ${bar}`);
const p95 = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.95)];
const ms = (value) => `${value.toFixed(1)} ms`;

function generate(folder) {
  execFileSync(program, ['run', '--quiet', '--record', folder, '--bench', 'matmul-composite-multi-pe']);
  const launch = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8')).launches[0];
  const begin = Math.round(launch.start_ns * 1e6), span = Math.round((launch.completed_ns - launch.start_ns) * 1e6);
  execFileSync('sqlite3', [join(folder, 'ops.sqlite')], { input: `
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    DROP INDEX op_by_start;
    CREATE TABLE kinds (k INTEGER PRIMARY KEY, component_id INTEGER, operation_id INTEGER, params TEXT);
    INSERT INTO kinds SELECT row_number() OVER (ORDER BY component_id) - 1, component_id, operation_id, params
      FROM (SELECT component_id, min(operation_id) AS operation_id, min(params) AS params FROM op GROUP BY component_id)
      JOIN component ON component.id = component_id WHERE name LIKE '%.pe%.pe_%' AND name NOT LIKE '%scheduler';
    DROP INDEX op_by_component; DELETE FROM op;
    WITH RECURSIVE n(blocks, each) AS MATERIALIZED (SELECT count(*), ${span} / (${operations} / count(*) + 1) FROM kinds), i(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ${operations})
    INSERT INTO op SELECT i, i, ${begin} + (i / blocks) * each, ${begin} + (i / blocks) * each + each * (3 + i % 7) / 10, component_id, operation_id, params
      FROM i CROSS JOIN n CROSS JOIN kinds ON k = i % blocks;
    DROP TABLE kinds;
    CREATE INDEX op_by_start ON op (t_start_fs); CREATE INDEX op_by_component ON op (component_id, t_start_fs);` });
}

async function serve(folder) {
  const begin = performance.now();
  const server = spawn(program, ['web', folder, '--port', '0', '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  const url = await new Promise((resolve, reject) => {
    server.stdout.on('data', (data) => { text += data; const found = /http:\S+/.exec(text); if (found) resolve(found[0]); });
    server.on('exit', () => reject(new Error(`kernbench web ended: ${text}`)));
  });
  return { server, url, begin };
}

// Times every callback of requestAnimationFrame: what a picture costs on the main thread.
const timeFrames = () => {
  const ask = requestAnimationFrame;
  window.frameTimes = [];
  window.requestAnimationFrame = (work) => ask((now) => {
    const begin = performance.now();
    work(now);
    window.frameTimes.push(performance.now() - begin);
  });
};

async function pageTimes(page) {
  const marks = { Why: '.columnchart', Machine: '.machineview[aria-busy=false]', Roofline: '.roofline', Tables: '.data tbody tr' };
  for (const [label, mark] of Object.entries(marks)) {
    const begin = performance.now();
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: label }).click();
    await page.locator(mark).first().waitFor();
    row(`page ${label} there after`, ms(performance.now() - begin), '<= 500 ms');
  }
}

async function timeline(page) {
  const begin = performance.now();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Timeline' }).click();
  await page.waitForFunction(() => {
    const canvas = document.querySelector('.plot');
    if (!canvas || canvas.width < 2) return false;
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, Math.min(canvas.height, 300));
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 30 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) return true;
    return false;
  }, undefined, { polling: 20 });
  row('first picture of the timeline after', ms(performance.now() - begin), '<= 1 s');
  await page.getByRole('button', { name: 'blocks', exact: true }).click();  // the rows that are painted from buckets
  await page.waitForTimeout(500);
  await page.evaluate(() => { window.frameTimes.length = 0; });
  const box = await page.locator('.plot').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 200);
  for (let i = 0; i < 60; ++i) { await page.mouse.wheel(0, i % 20 < 14 ? -120 : 160); await page.waitForTimeout(25); }
  await page.mouse.down();
  for (let i = 0; i < 60; ++i) { await page.mouse.move(box.x + box.width / 2 + 8 * (i % 30), box.y + 200); await page.waitForTimeout(15); }
  await page.mouse.up();
  const times = await page.evaluate(() => window.frameTimes);
  row(`paint p95 of ${times.length} pictures`, ms(p95(times)), '<= 16 ms');
  const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  row('JS heap', `${(heap / 2 ** 20).toFixed(0)} MiB`, '<= 150 MiB');
}

async function tiles(page, state) {
  const times = await page.evaluate(async ({ begin, end }) => {
    const { rows } = await (await fetch('/api/rows')).json();
    const list = rows.slice(0, 60).map((_, i) => i).join(','), found = [];
    let seed = 1;
    const random = () => { seed = (seed * 16807) % 2147483647; return seed / 2147483647; };
    for (let i = 0; i < 200; ++i) {
      const width = (end - begin) * 10 ** (-4 * random()), from = begin + random() * (end - begin - width);
      const at = performance.now();
      await (await fetch(`/api/tiles?t0=${Math.round(from)}&t1=${Math.round(from + width) + 1}&px=1800&rows=${list}`)).arrayBuffer();
      found.push(performance.now() - at);
    }
    return found;
  }, { begin: Number(state.begin_fs), end: Number(state.end_fs) });
  row('tile query p95 (60 rows, 1800 pixels)', ms(p95(times)), '<= 50 ms');
}

// A list of a thousand runs, one of which has the operations.
async function list(browser) {
  const top = join(work, 'runs'), result = readFileSync(join(work, 'run', 'result.json'));
  for (let i = 0; i < 1000; ++i) { mkdirSync(join(top, `${i % 10}`, `run${i}`), { recursive: true }); writeFileSync(join(top, `${i % 10}`, `run${i}`, 'result.json'), result); }
  renameSync(join(work, 'run'), join(top, 'large'));
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.waitForTimeout(1000);
  const { server, url, begin } = await serve(top);
  await page.goto(url);
  await page.locator('.runs tbody tr').first().waitFor();
  row('first rows of 1001 runs after the start', ms(performance.now() - begin), '<= 1 s');
  await page.locator('.runs[aria-busy=false]').waitFor();
  row('all results of 1001 runs read after', ms(performance.now() - begin), `<= 5 s (${(result.length / 1024).toFixed(0)} KiB each)`);
  const click = performance.now();
  await page.evaluate(() => { location.hash = '#/@large/overview'; });
  await page.getByText('bounded by').waitFor();
  row('a run of the list usable after', ms(performance.now() - click), '<= 500 ms');
  server.kill('SIGINT');
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--enable-precise-memory-info'] });
try {
  generate(join(work, 'run'));
  execFileSync('sync');  // the computer is done with writing the run
  // A browser that is open and idle, as a user's.
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.addInitScript(timeFrames);
  await page.waitForTimeout(1000);
  const { server, url, begin } = await serve(join(work, 'run'));
  const opened = performance.now();
  await page.goto(url);
  await page.getByText('bounded by').waitFor();
  row('operations', operations);
  row('address printed after', ms(opened - begin));
  row('page usable after', ms(performance.now() - begin), '<= 500 ms');
  let state = {};
  while (!state.ready) { state = await page.evaluate(async () => (await fetch('/api/state')).json()); await page.waitForTimeout(20); }
  row('timeline ready after', ms(performance.now() - begin), operations > 4e6 ? '<= 15 s' : '<= 3 s');
  await pageTimes(page);
  await timeline(page);
  await tiles(page, state);
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) * 1024;
  row('server, most memory', `${(peak / 2 ** 20).toFixed(0)} MiB`, `<= ${((60 * operations) / 2 ** 20 + 100).toFixed(0)} MiB`);
  server.kill('SIGINT');
  await list(browser);
} finally {
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
