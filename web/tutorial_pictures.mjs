// The pictures of docs/guides/tutorial.md, one per step, into a folder:
//   node web/tutorial_pictures.mjs KERNBENCH FOLDER PLUGIN      (PLUGIN: the library that examples/tutorial builds)
import { join } from 'node:path';
import { coloured, end, go, open, pictures, serve, simulate } from './test/browser.mjs';

const plugin = process.argv[4];
const narrow = { width: 1000, height: 900 }, wide = { width: 1200, height: 900 };  // the wide one shows whole tables

const record = (step, ...options) => simulate(`step${step}`, '--topology', 'one_cube', '--plugin', plugin, '--bench', 'tutorial', '--set', `step=${step}`, ...options);

async function save(page, step, clip) {
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(pictures, `tutorial_${step}.png`), clip });
}

// What stands below the bar with the names of the pages, down to `height` pixels.
async function belowTheBar(page, height) {
  const bar = await page.getByRole('navigation', { name: 'Pages' }).boundingBox();
  const top = Math.ceil(bar.y + bar.height) + 12;
  return { x: 0, y: top, width: narrow.width, height: height - top };
}

// The picture and the figures below it.
async function roofline(page, step) {
  await go(page, 'Roofline');
  const table = page.locator('.data').first();
  await table.waitFor();
  const first = await page.locator('.roofline').boundingBox(), last = await table.boundingBox();
  await save(page, step, { x: first.x, y: first.y, width: first.width, height: last.y + last.height - first.y });
}

// The HBM channels of the PE that computes, in the microsecond that begins at `at` ns.
async function channels(page, step, at) {
  await page.evaluate((ns) => { location.hash = `#/machine?at=sip0.cube0.pe0&kind=memory&t0=${ns}000000&t1=${ns + 1000}000000`; }, at);
  await page.locator('.hottest li').first().waitFor();
  await save(page, step, await belowTheBar(page, 510));
}

// `ns` of the kernel (0: all of it), beginning `from` ns after what the page shows at first, with rows of blocks or PEs.
async function timeline(page, step, from, ns, rows, height) {
  await go(page, 'Timeline');
  await coloured(page);
  await page.getByRole('button', { name: rows, exact: true }).click();
  await page.waitForTimeout(300);
  if (ns > 0) {
    await page.evaluate(([begin, span]) => {
      const values = new URLSearchParams(location.hash.split('?')[1]);
      const t0 = BigInt(values.get('t0')) + BigInt(begin) * 1000000n;
      values.set('t0', t0);
      values.set('t1', t0 + BigInt(span) * 1000000n);
      location.hash = `#/timeline?${values}`;
    }, [from, ns]);
  }
  await coloured(page);
  await save(page, step, await belowTheBar(page, height));
}

const pages = [
  { step: 1, size: wide, draw: roofline },
  { step: 2, size: { ...narrow, height: 560 }, draw: (page, step) => channels(page, step, 20000), options: ['--record-window', '20000:21000'] },
  { step: 3, size: narrow, draw: (page, step) => timeline(page, step, 20000, 15000, 'blocks', 300) },
  { step: 4, size: narrow, draw: (page, step) => timeline(page, step, 20000, 15000, 'blocks', 300) },
  { step: 5, size: narrow, draw: (page, step) => timeline(page, step, 0, 0, 'PEs', 400) },
  { step: 6, size: wide, draw: roofline },
];

try {
  for (const { step, size, draw, options } of pages) {
    const server = await serve(record(step, ...(options ?? [])));
    const page = await open(server.url, { viewport: size });
    await page.getByText('bounded by').waitFor();
    await draw(page, step);
    await server.stop();
  }
} finally {
  await end();
}
