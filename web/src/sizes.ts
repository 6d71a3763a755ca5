// Sizes on this screen, defined by app.css for phones, screens and large screens.
import { useEffect, useState } from 'preact/hooks';

const USUAL_EM = 14;
export const FAMILY = 'system-ui, "DejaVu Sans", sans-serif';

// Sizes in CSS pixels; `scale` is the enlargement of drawings made for a normal screen.
export const sizes = { scale: 1, row: 22, ruler: 26, font: '', phone: false };

// Returns true when a size changed.
function read(): boolean {
  const style = getComputedStyle(document.documentElement);
  const pixels = (text: string, usual: number) => parseFloat(text) || usual;
  const scale = pixels(style.fontSize, USUAL_EM) / USUAL_EM;
  const now: typeof sizes = {
    scale, row: pixels(style.getPropertyValue('--row'), 22), ruler: pixels(style.getPropertyValue('--ruler'), 26),
    font: `${Math.round(11 * scale)}px ${FAMILY}`, phone: style.getPropertyValue('--phone').trim() === '1',
  };
  const same = (Object.keys(now) as (keyof typeof sizes)[]).every((key) => now[key] === sizes[key]);
  Object.assign(sizes, now);
  return !same;
}

// Renders the page again when the screen size changes.
export function useSizes(): void {
  const [, again] = useState(() => { read(); return 0; });
  useEffect(() => {
    const changed = () => { if (read()) again((n) => n + 1); };
    addEventListener('resize', changed);
    return () => removeEventListener('resize', changed);
  }, []);
}
