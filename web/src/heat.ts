// Shares as colours: lightness rises or falls all the way, so that they can be told apart without colours.
import { rgb } from './colours';

const LIGHT = ['#eef1f4', '#fde3b0', '#f9a65a', '#dd5a1d', '#7c1d0a'].map(rgb);
const DARK = ['#2b3139', '#5c2413', '#b1420f', '#f08a3c', '#ffe0a8'].map(rgb);

export const isDark = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches;

export function heatColour(value: number, dark: boolean): string {
  const scale = dark ? DARK : LIGHT;
  const at = Math.max(0, Math.min(1, value)) * (scale.length - 1);
  const low = Math.min(scale.length - 2, Math.floor(at));
  const mix = scale[low].map((from, i) => Math.round(from + (scale[low + 1][i] - from) * (at - low)));
  return `rgb(${mix.join(',')})`;
}

// Of a text on that colour.
export const inkOn = (value: number, dark: boolean): string => ((dark ? value > 0.6 : value < 0.6) ? '#1b1f24' : '#fff');
