// Times are integer femtoseconds: bigint for absolute times, number for differences on the screen.

const UNITS: [number, string][] = [[1e15, 's'], [1e12, 'ms'], [1e9, 'µs'], [1e6, 'ns'], [1e3, 'ps'], [1, 'fs']];

export function unitFor(fs: number): [number, string] {
  const size = Math.abs(fs);
  return UNITS.find(([width]) => size >= width) ?? UNITS[UNITS.length - 1];
}

const grouped = (text: string) => text.replace(/\B(?=(\d{3})+(?!\d))/g, ' ');

// "118.94 µs": four significant digits or more.
export function duration(fs: number): string {
  if (fs === 0) return '0';
  const [width, name] = unitFor(fs);
  const value = fs / width;
  const digits = width === 1 ? 0 : Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
  return `${value.toFixed(digits)} ${name}`;
}

// "118 941.016388 ns": exact, with all digits, so that the digits of a column are aligned.
export function exact(fs: bigint, all = false): string {
  const sign = fs < 0n ? '-' : '';
  const size = fs < 0n ? -fs : fs;
  const digits = (size % 1000000n).toString().padStart(6, '0');
  const rest = all ? digits : digits.replace(/0+$/, '');
  return `${sign}${grouped((size / 1000000n).toString())}${rest ? '.' + rest : ''} ns`;
}

export const fromNs = (ns: number): bigint => BigInt(Math.round(ns * 1e6));

export function percent(share: number): string {
  if (share > 0 && share < 0.0005) return '< 0.1 %';
  if (share < 1 && share > 0.9995) return '> 99.9 %';
  return `${(share * 100).toFixed(share === 0 || share === 1 ? 0 : 1)} %`;
}

export const count = (value: number): string =>
  Number.isInteger(value) ? grouped(String(value)) : String(Number(value.toPrecision(6)));

// A round distance of ticks of at least `least` fs.
export function tickStep(least: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(Math.max(1, least))));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? power * 10;
}
