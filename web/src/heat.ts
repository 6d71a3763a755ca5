// Maps shares to colours of monotonic lightness, which remain distinguishable without hue.
import { rgb } from './colours';

const LIGHT = ['#eef1f4', '#fde3b0', '#f9a65a', '#dd5a1d', '#7c1d0a'].map(rgb);
const DARK = ['#2b3139', '#5c2413', '#b1420f', '#f08a3c', '#ffe0a8'].map(rgb);

export const isDark = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches;

// From less (blue) through equal to more (red).
const LESS_MORE_LIGHT = ['#0b5394', '#9cc4e4', '#eef1f4', '#f4b08a', '#a3210f'].map(rgb);
const LESS_MORE_DARK = ['#8fc7ff', '#1f5680', '#2b3139', '#8a3a1c', '#ffb08f'].map(rgb);

export const heatColour = (value: number, dark: boolean): string => colourOn(dark ? DARK : LIGHT, value);
// Colour of a change from -1 to 1.
export const changeColour = (value: number, dark: boolean): string => colourOn(dark ? LESS_MORE_DARK : LESS_MORE_LIGHT, (value + 1) / 2);

function colourOn(scale: [number, number, number][], value: number): string {
  const at = Math.max(0, Math.min(1, value)) * (scale.length - 1);
  const low = Math.min(scale.length - 2, Math.floor(at));
  const mix = scale[low].map((from, i) => Math.round(from + (scale[low + 1][i] - from) * (at - low)));
  return `rgb(${mix.join(',')})`;
}

// Text colour for that background.
export const inkOn = (value: number, dark: boolean): string => ((dark ? value > 0.6 : value < 0.6) ? '#1b1f24' : '#fff');
