// The tornado of `kernbench why --machine` on the page Why and in the report.
import assert from 'node:assert/strict';
import { rmSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { go, open, picture, serve } from './browser.mjs';
import { changed } from './ladder.mjs';

export const TORNADO = 'What each key of the machine does, measured';
const ROWS = 25;

const fileOf = (folder) => join(folder, 'why', 'tornado.json');
const read = (folder) => JSON.parse(readFileSync(fileOf(folder), 'utf8'));
const edited = (change) => (copy) => { const tornado = read(copy); change(tornado); writeFileSync(fileOf(copy), JSON.stringify(tornado)); };
const timesOf = (tornado) => [tornado.time_ns, ...tornado.keys.flatMap(({ trials }) => trials.map(({ time_ns: ns }) => ns)).filter((ns) => ns !== null)];

async function shown(folder, options) {
  const server = await serve(folder), page = await open(server.url, options);
  await go(page, 'Why');
  return { server, page };
}

// The bars and the values at their ends, of each row.
async function bars(page, tornado, keys) {
  const base = tornado.time_ns, low = Math.min(...timesOf(tornado)), high = Math.max(...timesOf(tornado));
  const rows = await page.locator('.tornado tr').evaluateAll((all) => all.map((row) => ({
    key: row.querySelector('.keyname').textContent, texts: [...row.querySelectorAll('text')].map((text) => text.textContent),
    rects: [...row.querySelectorAll('rect.less, rect.more')].map((rect) => [rect.getAttribute('class'), parseFloat(rect.getAttribute('x')), parseFloat(rect.getAttribute('width'))]),
  })));
  assert.equal(rows.length, keys.length);
  for (const [i, { key, value, trials }] of keys.entries()) {
    assert.ok(rows[i].key.startsWith(`${key} = ${value}`), `row ${i} is ${rows[i].key} and not ${key}`);
    const times = trials.map(({ time_ns: ns }) => ns).filter((ns) => ns !== null), least = Math.min(...times), most = Math.max(...times);
    const wanted = [...(least < base ? [['less', least]] : []), ...(most > base ? [['more', most]] : [])];
    assert.equal(rows[i].rects.length, wanted.length, key);
    for (const [at, [colour, ns]] of wanted.entries()) {
      const [shape, x, width] = rows[i].rects[at], percent = (time) => (100 * (time - low)) / (high - low);
      assert.equal(shape, colour, key);
      assert.ok(Math.abs(x - percent(Math.min(ns, base))) < 0.01 && Math.abs(width - Math.abs(percent(ns) - percent(base))) < 0.01, `the bar of ${key} is from ${x}, ${width} wide`);
      const change = 100 * (ns / base - 1), of = trials.filter(({ time_ns: one }) => one === ns).map((trial) => trial.value.slice(0, 8));
      assert.ok(of.some((one) => rows[i].texts[at].startsWith(one)) && rows[i].texts[at].endsWith(`${Math.abs(change).toFixed(2)} %`), `${key}: ${rows[i].texts[at]}`);
    }
  }
}

export async function tornado(folder) {
  const measured = read(folder), acting = measured.keys.filter(({ swing_ns: swing }) => swing > 0);
  assert.ok(acting.length > ROWS, 'the test needs more keys that act');
  const { server, page } = await shown(folder);
  await page.getByRole('heading', { name: TORNADO }).waitFor();
  await bars(page, measured, acting.slice(0, ROWS));
  const meaning = page.locator('.tornado .meaning').first();
  assert.equal(await meaning.isVisible(), false);
  await page.locator('.keyname').first().focus();
  assert.ok((await meaning.innerText()).startsWith(acting[0].text), 'the meaning of a key is there with the focus');
  await page.getByRole('heading', { name: TORNADO }).scrollIntoViewIfNeeded();
  await picture(page, 'tornado');
  await page.getByRole('button', { name: `all ${acting.length}` }).click();
  await bars(page, measured, acting);
  const idle = measured.keys.filter(({ swing_ns: swing, trials }) => swing === 0 && trials.some(({ time_ns: ns }) => ns !== null));
  const impossible = measured.keys.flatMap(({ trials }) => trials).filter(({ problem }) => problem !== '');
  for (const [title, items] of [['Change nothing here', idle], ['Make no machine or no run', impossible], ['Not tried', measured.not_tried]]) {
    const fold = page.locator('section > details', { hasText: title });
    assert.match(await fold.locator('summary').innerText(), new RegExp(`\\(${items.length}\\)`), title);
    assert.equal(await fold.locator('li').count(), items.length, title);
  }
  assert.equal(await page.getByText('Not run, because the budget is spent').count(), 0);
  await server.stop();
  const dark = await shown(folder, { colorScheme: 'dark' });
  await dark.page.getByRole('heading', { name: TORNADO }).scrollIntoViewIfNeeded();
  await picture(dark.page, 'tornado_dark');
  await dark.server.stop();
}

// A run without one, one of another run, and one that was cut.
export async function withoutTornado(folder) {
  const cases = [
    ['no_tornado', (copy) => rmSync(fileOf(copy)), 'kernbench why --machine DIR measures what each key of the machine does alone.', 0],
    ['other_tornado', edited((tornado) => { tornado.time_ns += 1; }), 'The keys of the machine are not shown: why/tornado.json is about another run: that took', 0],
    ['damaged_tornado', edited((tornado) => { tornado.keys[0].swing_ns = 'a'; }), 'why/tornado.json: is damaged: /keys/0/swing_ns must be a time in ns', 0],
    ['cut_tornado', edited((tornado) => { Object.assign(tornado.keys[0].trials[0], { time_ns: null, not_run: true }); }), 'Not run, because the budget is spent; the same command goes on (1)', 1],
  ];
  for (const [name, change, message, tables] of cases) {
    const { server, page } = await shown(changed(folder, name, change));
    await page.getByText(message).waitFor();
    await page.locator('.ladder').waitFor();
    assert.equal(await page.locator('.tornado').count(), tables, name);
    await server.stop();
  }
}

// Names in it are text, on a phone, too.
export async function hostileTornado(folder) {
  const image = '<img src=x onerror=document.title="owned">', long = 'a_name_that_somebody_made_'.repeat(9);
  const copy = changed(folder, 'hostile_tornado', edited((tornado) => {
    Object.assign(tornado.keys[0], { key: long, value: image, text: image });
    Object.assign(tornado.keys[1], { key: image, value: long, text: long });
    for (const key of tornado.keys.slice(0, 2)) for (const trial of key.trials) trial.value = image;
    tornado.not_tried.push(image);
  }));
  const { server, page } = await shown(copy, { viewport: { width: 390, height: 844 } });
  await page.getByRole('heading', { name: TORNADO }).scrollIntoViewIfNeeded();
  assert.equal(await page.locator('img').count(), 0);
  assert.doesNotMatch(await page.title(), /owned/);
  await page.locator('.keyname').nth(1).focus();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth), 'the tornado is wider than a phone');
  await picture(page, 'phone_hostile_tornado');
  await server.stop();
}
