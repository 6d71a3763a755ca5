// Phones and large screens: nothing is wider than the screen, and what is written and drawn grows with it.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { config, go, open, picture, pointAt, serve, work } from './browser.mjs';
import { filesOfSteps, folderOfRates, folderOfRequests } from './models.mjs';
import { folderOfRuns, folderOfSweep } from './more_places.mjs';

const PHONE = { width: 390, height: 844 }, USUAL = { width: 1280, height: 800 }, LARGE = { width: 3840, height: 2160 };
const GROWS = 1.3;  // at least, from the usual screen to the large one

// Addresses: what is there when the page is, and the canvases on which it then writes.
const MACHINE = ['.machineview[aria-busy=false]', 'machineplot'];
const COMPARED = {
  overview: ['.facts'], kernel: ['.source tr.used'], 'tables?sort=start': ['.data tbody td'], why: ['.columnchart'], 'machine?at=': MACHINE, 'machine?at=sip0.cube0': MACHINE, 'machine?at=sip0.cube0.pe0': MACHINE, roofline: ['.roofline text'],
  'timeline?depth=9': ['.label', 'ruler'], 'timeline?depth=9&op=100': ['.details dl', 'ruler'], tables: ['.data tbody td'], 'tables?table=launches': ['.data tbody td'],
  'tables?table=links': ['.data tbody td'], 'tables?table=pes': ['.data tbody td'], compare: ['.changemap canvas', 'aligned', 'machineplot'],
};
const MESSAGES = { collective: ['.ranksplot', 'ranksplot', 'ranksruler'], 'timeline?depth=2': ['.label', 'ruler'], why: ['.matrix'] };
const LADDER = { why: ['.ladder .bar'], overview: ['.facts'] };
const RUNS = { runs: ['.runs[aria-busy=false] tbody td'], 'runs?q=gemm&sort=longest': ['.runs tbody td'], '@gemm/overview': ['.facts'], '@deep%2Fbetter/@gemm/compare': ['.facts'] };
const SWEEP = { 'sweep?figure=front&point=4': ['.command'], 'sweep?figure=heat': ['.heatcell'], 'sweep?figure=scatter&x=tflops&y=tile_k&colour=tile_k': ['.dot'] };
const REQUESTS = { requests: ['.points tbody td', 'ranksruler'], 'requests?from=10&to=14&point=42': ['.facts-line strong', 'ranksplot', 'ranksruler'] };
const RATES = { requests: ['.rates tbody td'] }, STEP = { step: ['.steps tbody td'] };
const ALONE = { 'machine?at=': ['.hottest li', 'machineplot'], 'machine?at=sip0.cube0&mark=sip0.cube0.hbm_ctrl.pe0': ['.chosenblock .facts', 'machineplot'], 'machine?at=sip0.cube0.pe0&mark=sip0.cube0.pe0.pe_dma': ['.chosenblock .facts', 'machineplot'] };

// Collects the sizes of letters that are drawn, by the class of their canvas.
function noteFonts() {
  const draw = CanvasRenderingContext2D.prototype.fillText;
  window.drawn = {};
  CanvasRenderingContext2D.prototype.fillText = function noted(...values) {
    window.drawn[this.canvas.className] = Math.min(window.drawn[this.canvas.className] ?? 1e9, parseFloat(this.font));
    return draw.apply(this, values);
  };
}

export const widths = () => {
  const { clientWidth, scrollWidth } = document.documentElement;
  const inScroller = (element) => { for (let up = element.parentElement; up && up !== document.body; up = up.parentElement) if (getComputedStyle(up).overflowX !== 'visible') return true; return false; };
  const wide = [...document.querySelectorAll('#app *')].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    return width > 1 && (right > clientWidth + 1 || left < -1) && getComputedStyle(element).position !== 'absolute' && (element.tagName === 'CANVAS' || !inScroller(element));
  });
  return { clientWidth, scrollWidth, wide: wide.slice(0, 5).map((element) => `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}">`) };
};

// Sizes in CSS pixels by name: letters of the page and of its drawings, rows and drawings that are not as high as the screen.
const measured = () => {
  const found = { ...Object.fromEntries(Object.entries(window.drawn).map(([name, size]) => [`letters of .${name}`, size])) };
  window.drawn = {};
  for (const text of ['nav a', '.hint', '.facts th', '.data th', '.data td', '.label .text', '.legend span', '.roofline text', '.hottest li', '.details dd', '.sweepfigure text', '.command', '.source .code', '.longlines li', '.ladder td', '.family', '.trials td', '.commandline button', '.keyname', '.swing text', '.facts-line strong', '.abstractions li']) {
    const element = document.querySelector(text);
    if (element) found[`letters of ${text}`] = parseFloat(getComputedStyle(element).fontSize);
  }
  for (const box of ['.label', '.columnchart', '.brush canvas', '.ruler', '.ranksplot', '.aligned', '.bar', '.data:not(.ladder):not(.tornado) tbody tr:last-child', '.sweepfigure', '.linebar', '.ladder .bar', '.swing']) {
    const element = document.querySelector(box);
    if (element) found[`height of ${box}`] = element.getBoundingClientRect().height;
  }
  return found;
};

async function to(page, place, [mark, ...canvases]) {
  await page.evaluate((hash) => { location.hash = hash; }, `#/${place}`);
  await page.locator(mark).first().waitFor();
  await page.waitForFunction((names) => names.every((name) => window.drawn[name] !== undefined), canvases);
}

async function visit(page, places, quiet, screen, take) {
  await to(page, ...quiet);  // a page that draws nothing while its size changes
  await page.setViewportSize(screen);
  await page.waitForTimeout(200);
  await page.evaluate(() => { window.drawn = {}; });
  for (const [place, marks] of Object.entries(places)) {
    await to(page, place, marks);
    await page.waitForTimeout(200);  // what is asked for and drawn afterwards
    const { clientWidth, scrollWidth, wide } = await page.evaluate(widths);
    assert.ok(scrollWidth <= clientWidth && wide.length === 0, `${place} is ${scrollWidth} pixels wide on a screen of ${clientWidth}: ${wide.join(', ')}`);
    if (screen === PHONE) await picture(page, `phone_${place.replace(/\W+/g, '_')}`);
    for (const [name, size] of Object.entries(await page.evaluate(measured))) take[`${place}: ${name}`] = size;
  }
}

async function everyScreen(url, places, quiet = ['tables?table=launches', ['.data tbody td']]) {
  const page = await open(url, {}, (fresh) => fresh.addInitScript(noteFonts));
  await page.locator('header').waitFor();
  const usual = {}, large = {}, phone = {};
  await visit(page, places, quiet, PHONE, phone);
  await visit(page, places, quiet, USUAL, usual);
  await visit(page, places, quiet, LARGE, large);  // without loading the page again
  for (const [name, size] of Object.entries(usual)) assert.ok(!(large[name] < GROWS * size), `${name}: ${size} pixels on a screen, ${large[name]} on a large one`);
  for (const [name, size] of Object.entries(phone)) if (name.includes('letters')) assert.ok(size >= 9, `${name}: ${size} pixels on a phone`);
  await page.context().close();
}

// Fingers in place of a mouse.
async function touched(url) {
  const page = await open(url, { viewport: PHONE, isMobile: true, hasTouch: true });
  await go(page, 'Machine');
  await page.locator('.machineview[aria-busy=false]').waitFor();
  await pointAt(page, 'sip1.cube15');
  const tip = await page.locator('.tooltip').boundingBox();
  assert.ok(tip.x >= 0 && tip.x + tip.width <= PHONE.width, `the tooltip is from ${tip.x} to ${tip.x + tip.width}`);
  await page.locator('.hottest li').first().scrollIntoViewIfNeeded();
  await page.locator('.machineplot').scrollIntoViewIfNeeded();
  const cube = await pointAt(page, 'sip0.cube0');
  await page.touchscreen.tap(cube.x, cube.y);
  await page.getByRole('link', { name: 'timeline of sip0.cube0' }).waitFor();

  await go(page, 'Timeline');
  await page.locator('.label').first().waitFor();
  await page.waitForFunction(() => location.hash.includes('t1='));
  const span = () => page.evaluate(() => { const v = new URLSearchParams(location.hash.split('?')[1]); return Number(BigInt(v.get('t1')) - BigInt(v.get('t0'))); });
  const before = await span(), plot = await page.locator('.plot').boundingBox(), fingers = await page.context().newCDPSession(page);
  const middle = plot.x + plot.width / 2, y = plot.y + 60;
  const touch = (type, apart) => fingers.send('Input.dispatchTouchEvent', { type, touchPoints: apart === 0 ? [] : [-1, 1].map((side, id) => ({ x: middle + side * apart, y, id })) });
  await touch('touchStart', 20);
  for (let apart = 25; apart <= 80; apart += 5) await touch('touchMove', apart);
  await touch('touchEnd', 0);
  for (let i = 0; i < 100 && await span() > before / 3; ++i) await page.waitForTimeout(50);
  assert.ok(await span() < before / 3, `two fingers zoom from ${before} to ${await span()} fs`);
  await page.context().close();
}

// `gemm` and `better` are compared with each other; `messages` has messages, `explained` a ladder.
export async function screens() {
  const compared = await serve(join(work, 'better'), '--against', join(work, 'gemm'));
  await everyScreen(compared.url, COMPARED);
  await touched(compared.url);
  await compared.stop();
  const messages = await serve(join(work, 'messages'));
  await everyScreen(messages.url, MESSAGES);
  await messages.stop();
  const explained = await serve(join(work, 'explained'));
  await everyScreen(explained.url, LADDER);
  await explained.stop();
  const others = [[folderOfRuns(), RUNS, ['runs', ['.runs tbody td']]], [folderOfSweep(), SWEEP, ['sweep', ['.data tbody td']]], [config('reference'), ALONE, ['machine?at=sip1', ['.hottest li']]],
    [folderOfRequests(), REQUESTS, ['requests?filter=none', ['.times td']]], [folderOfRates(), RATES, ['requests', ['.rates tbody td']]], [filesOfSteps()[0], STEP, ['step', ['.steps tbody td']]]];
  for (const [place, places, quiet] of others) {
    const other = await serve(place);
    await everyScreen(other.url, places, quiet);
    await other.stop();
  }
}
