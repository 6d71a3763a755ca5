// How large things are on this screen: app.css says it, for phones, screens and large screens.
import { useEffect, useState } from 'preact/hooks';

const USUAL_EM = 14;
export const FAMILY = 'system-ui, "DejaVu Sans", sans-serif';

// In CSS pixels; `scale` is what a drawing made for a usual screen is enlarged by.
export const sizes = { scale: 1, row: 22, ruler: 26, font: '', phone: false };

// Whether anything changed.
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

// Draws the whole page again when it comes to a screen of another size.
export function useSizes(): void {
  const [, again] = useState(() => { read(); return 0; });
  useEffect(() => {
    const changed = () => { if (read()) again((n) => n + 1); };
    addEventListener('resize', changed);
    return () => removeEventListener('resize', changed);
  }, []);
}
