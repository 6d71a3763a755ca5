// Without a mouse.
import assert from 'node:assert/strict';
import { go, picture } from './browser.mjs';

// Down to a PE and up again without a mouse.
export async function machineByKeys(page) {
  await go(page, 'Machine');
  const canvas = page.locator('.machineplot'), part = () => page.evaluate(() => new URLSearchParams(location.hash.split('?')[1]).get('at') ?? '');
  // The address, the way above the picture and the picture itself have all arrived at `at`.
  const wait = (at) => page.waitForFunction((wanted) => {
    const address = new URLSearchParams(location.hash.split('?')[1]).get('at') ?? '';
    const way = [...document.querySelectorAll('.path a')].slice(1).map((link) => link.textContent).join('.');
    return address === wanted && way === wanted && document.querySelector('.machineview')?.ariaBusy === 'false';
  }, at);
  await page.locator('.tools a[aria-current]', { hasText: 'whole run' }).waitFor({ state: 'detached' });
  await wait('');
  await canvas.focus();
  assert.match(await canvas.getAttribute('aria-label'), /Arrow keys choose a part/);
  const says = async () => (await canvas.getAttribute('aria-label')).split(':')[0];
  await page.keyboard.press('ArrowDown');
  assert.match(await canvas.getAttribute('aria-label'), /^sip0\.cube0\.pe0: 99\.\d % busy/, 'it begins at the hottest part, which is said');
  await page.keyboard.press('ArrowRight');
  assert.equal(await says(), 'sip0.cube0.pe1');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await says(), 'sip0.cube0.pe0');
  await page.keyboard.press('Enter');
  await wait('sip0.cube0');
  await page.keyboard.press('ArrowDown');
  assert.match(await canvas.getAttribute('aria-label'), /^sip0\.cube0\.pe0: 99\.\d % busy/);
  await page.keyboard.press('Enter');
  await wait('sip0.cube0.pe0');
  await page.keyboard.press('Escape');
  await wait('sip0.cube0');
  await page.keyboard.press('Escape');
  await wait('sip0');
  await page.keyboard.press('Escape');
  await wait('');
  assert.equal(await part(), '');
}

// Every page by Tab and Enter alone.
export async function byKeys(page) {
  const labels = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
  for (const label of labels) {
    await page.evaluate(() => document.activeElement?.blur());
    for (let i = 0; i < 300; ++i) {
      await page.keyboard.press('Tab');
      if (await page.evaluate(() => document.activeElement.closest('header nav') ? document.activeElement.textContent : '') === label) break;
    }
    await page.keyboard.press('Enter');
    await page.locator('header nav a[aria-current=page]', { hasText: label }).waitFor();
    // What can be done there can be reached: the next stops are inside the page, and are seen.
    for (let i = 0; i < labels.length + 1; ++i) await page.keyboard.press('Tab');
    assert.ok(await page.evaluate(() => document.activeElement !== document.body), `nothing of ${label} is reached by Tab`);
    await page.waitForTimeout(300);
    await picture(page, `large_${label.toLowerCase()}`);
  }
}
