// Axes of figures: positions of values, ticks and names.
import { useRef } from 'preact/hooks';
import { useSize } from './hooks';
import { textWidth } from './picture';
import { FAMILY, sizes } from './sizes';
import { cellText, numberText, valuesOf, type Cell, type Column, type SweepRow } from './sweep_data';

export const FONT = 12;  // in pixels of a normal screen
const TICKS = 6;

export const px = (usual: number) => Math.round(usual * sizes.scale);

// A figure as wide as its container.
export function Box({ children }: { children: (width: number) => unknown }) {
  const box = useRef<HTMLDivElement>(null), { width } = useSize(box);
  return <div class="sweepbox" ref={box}>{width > 0 && children(width) as any}</div>;
}

// Positions of values on an axis: numbers by size, texts in sequence.
export interface Scale { at: (cell: Cell) => number; ticks: [number, string][]; log: boolean }

// About TICKS round values of an axis.
function roundValues(low: number, high: number): number[] {
  const raw = (high - low) / TICKS, power = 10 ** Math.floor(Math.log10(raw)), step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? raw;
  return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => (Math.ceil(low / step) + i) * step);
}

const tickText = (value: number): string => numberText(Number(value.toPrecision(9)));

export function linear(low: number, high: number, from: number, to: number): Scale {
  const at = (cell: Cell) => from + (((cell as number) - low) / (high - low)) * (to - from);
  return { at, ticks: roundValues(low, high).map((value): [number, string] => [at(value), tickText(value)]), log: false };
}

export function scaleOf(rows: SweepRow[], column: Column, from: number, to: number): Scale {
  if (!column.numbers) {
    const values = valuesOf(rows, column), step = (to - from) / Math.max(1, values.length);
    const every = Math.ceil(values.length / 12);
    return { at: (cell) => from + (values.indexOf(cell) + 0.5) * step, ticks: values.map((value, i): [number, string] => [from + (i + 0.5) * step, cellText(value)]).filter((_, i) => i % every === 0), log: false };
  }
  const numbers = rows.map(({ cells }) => cells[column.at] as number), least = Math.min(...numbers), most = Math.max(...numbers);
  const log = least > 0 && most / least >= 30;
  const size = (value: number) => (log ? Math.log10(value) : value);
  const pad = (size(most) - size(least)) * 0.05 || Math.abs(size(most)) * 0.1 || 1, low = size(least) - pad, high = size(most) + pad;
  const place = (value: number) => from + ((size(value) - low) / (high - low)) * (to - from);
  const own = column.role === 'axis' ? valuesOf(rows, column) as number[] : [];  // an axis with few values has them as ticks
  const values = own.length > 0 && own.length <= 2 * TICKS ? own : log ? Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, i) => 10 ** (Math.floor(low) + i)).flatMap((ten) => (high - low < 2.5 ? [ten, 2 * ten, 5 * ten] : [ten]))
    : roundValues(low, high);
  return { at: (cell) => place(cell as number), ticks: values.filter((value) => size(value) >= low && size(value) <= high).map((value): [number, string] => [place(value), tickText(value)]), log };
}

export function Axes({ x, y, width, height, left, bottom, names }: { x: Scale; y: Scale; width: number; height: number; left: number; bottom: number; names: [string, string] }) {
  const font = px(FONT), top = px(14), right = width - px(16);
  let last = -Infinity;
  const shown = x.ticks.filter(([at, text]) => { const half = textWidth(text, `${font}px ${FAMILY}`) / 2; if (at - half < last + 6) return false; last = at + half; return true; });
  return (
    <g>
      {x.ticks.map(([at]) => <line class="grid" x1={at} x2={at} y1={top} y2={bottom} />)}
      {shown.map(([at, text]) => <text x={at} y={bottom + font * 1.4} text-anchor="middle">{text}</text>)}
      {y.ticks.map(([at, text]) => <g><line class="grid" x1={left} x2={right} y1={at} y2={at} /><text x={left - font * 0.5} y={at + font * 0.35} text-anchor="end">{text}</text></g>)}
      <text class="axisname" x={(left + right) / 2} y={height - font * 0.5} text-anchor="middle">{names[0]}{x.log ? ' (log)' : ''}</text>
      <text class="axisname" x={font} y={(top + bottom) / 2} text-anchor="middle" transform={`rotate(-90 ${font} ${(top + bottom) / 2})`}>{names[1]}{y.log ? ' (log)' : ''}</text>
    </g>
  );
}
