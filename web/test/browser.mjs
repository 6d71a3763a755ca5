// What the tests of the page share: runs, servers, the browser and its pictures.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

export const [program, pictures] = process.argv.slice(2);
export const work = mkdtempSync(join(tmpdir(), 'kernbench-web-'));
if (pictures) mkdirSync(pictures, { recursive: true });

export function simulate(name, ...options) {
  const folder = join(work, name);
  execFileSync(program, ['run', '--quiet', '--record', folder, ...options]);
  return folder;
}

export const config = (name) => new URL(`../../configs/${name}.yaml`, import.meta.url).pathname;

const servers = new Set();

// The server of a folder; ends with Ctrl-C and without a complaint.
export async function serve(folder, ...options) {
  const server = spawn(program, ['web', folder, '--port', '0', '--no-open', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  servers.add(server);
  let text = '';
  const url = await new Promise((resolve, reject) => {
    server.stdout.on('data', (data) => {
      text += data;
      const found = /http:\S+/.exec(text);
      if (found && text.includes('Ctrl-C')) resolve(found[0]);
    });
    server.on('exit', () => reject(new Error(`kernbench web ended: ${text}`)));
  });
  const ended = new Promise((resolve) => server.on('exit', (code) => { servers.delete(server); resolve(code); }));
  const stop = async () => {
    for (const context of browser.contexts()) await context.close();  // what they still ask for would fail
    server.kill('SIGINT');
    assert.equal(await ended, 0);
  };
  return { url, stop, said: () => text };
}

export const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
export const complaints = [];

// Requests that a test wants to be refused: what the browser says of them, now or later, is no complaint.
const refusals = [];
export const refused = (pattern) => refusals.push(pattern);
const isWanted = (message) => / status of 400/.test(message.text()) && refusals.some((pattern) => pattern.test(message.location().url));

// `prepare` comes before the page is loaded.
export async function open(url, options = {}, prepare = undefined) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.text().includes('willReadFrequently')) return;  // of this test's own look at the pixels
    if (['error', 'warning'].includes(message.type()) && !isWanted(message)) complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => { if (!/abort/i.test(request.failure()?.errorText ?? '')) complaints.push(`${request.url()} ${request.failure()?.errorText}`); });
  page.on('request', (request) => { if (!request.url().startsWith(new URL(url).origin)) complaints.push(`another server is asked: ${request.url()}`); });
  await prepare?.(page);
  await page.goto(url);
  return page;
}

// What the page shows, for people to look at.
export async function picture(page, name) {
  await page.waitForTimeout(250);
  if (pictures) await page.screenshot({ path: join(pictures, `${name}.png`) });
}

// To another page, until it is there: what is shown follows the address a moment later.
export const go = async (page, label) => {
  const link = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: label });
  await link.click();
  await link.and(page.locator('[aria-current=page]')).waitFor();
};

// How many pixels of the plot are painted in colour.
export const painted = (page) => page.evaluate(() => {
  const canvas = document.querySelector('.plot');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] > 30 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40) ++count;
  }
  return count;
});
export const coloured = (page) => page.waitForFunction(() => document.querySelector('.plot')?.width > 1).then(async () => {
  for (let i = 0; i < 100 && (await painted(page)) < 200; ++i) await page.waitForTimeout(50);
  return painted(page);
});

// Waits until the details are those of the operation in the address, and another one than `before`; its number.
export async function shownOperation(page, before) {
  const found = await page.waitForFunction((old) => {
    const op = new URLSearchParams(location.hash.split('?')[1]).get('op');
    return op && op !== old && document.querySelector('.details')?.innerText.includes(`number\n${op}\n`) && op;
  }, before);
  return found.jsonValue();
}

// A point of the machine's picture at which the picture itself says that `id` lies; null where none is found.
function findPart(wanted) {
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
}

// Points at `id` in the machine's picture, and gives the point at which its figures are shown. A page that is still laid
// out moves its picture between the search and the pointer's move: then both are done again.
export async function pointAt(page, id) {
  const until = Date.now() + 60000;
  for (;;) {
    const found = await page.waitForFunction(findPart, id, { timeout: 60000, polling: 200 });
    const point = await found.jsonValue();
    await page.mouse.move(point.x, point.y);
    const shown = await page.locator('.tooltip strong', { hasText: id }).waitFor({ timeout: 2000 }).then(() => true, () => false);
    if (shown) return point;
    assert.ok(Date.now() < until, `the machine's picture does not show the figures of ${id}`);
  }
}

export async function end() {
  for (const server of servers) server.kill();
  await browser.close();
  rmSync(work, { recursive: true, force: true });
}
