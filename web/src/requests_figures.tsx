// Figures of served requests: lines over the seconds of a run, and how times are distributed.
import { Axes, Box, FONT, linear, px, scaleOf } from './figure_axes';
import { means, numbersOf, stepOf, type Distribution, type Table } from './requests_data';
import { Swatch } from './section';
import { cellText, type Column } from './sweep_data';
import { count } from './time';

const HEIGHT = 210, BINS = 40;

export interface Line { name: string; label: string; colour: string }

// `across`: what a row is, and the name of the axis.
export function OverTime({ table, lines, unit, across: [each, axis] = ['second', 's'] }: { table: Table; lines: Line[]; unit: string; across?: [each: string, axis: string] }) {
  const all = numbersOf(table, 't'), seconds = means(all), step = stepOf(all), values = lines.map(({ name }) => means(numbersOf(table, name)));
  const most = values.reduce((top, one) => one.reduce((a, b) => Math.max(a, b), top), 0) || 1, last = all[all.length - 1] ?? 1;
  return (
    <figure class="plain-figure">
      <figcaption class="legend">{lines.map(({ label, colour }) => <span><Swatch colour={colour} /> {label}</span>)}</figcaption>
      <Box>{(width) => {
        const height = px(HEIGHT), bottom = height - px(FONT) * 3.4, left = px(FONT) * 5;
        const x = linear(0, last, left, width - px(16)), y = linear(0, most * 1.05, bottom, px(14));
        return (
          <svg class="sweepfigure" width={width} height={height} viewBox={`0 0 ${width} ${height}`} font-size={px(FONT)} role="img" aria-label={lines.map(({ label }, i) => `${label}: at most ${cellText(values[i].reduce((a, b) => Math.max(a, b), 0))}`).join(', ')}>
            <Axes x={x} y={y} width={width} height={height} left={left} bottom={bottom} names={[step > 1 ? `${axis} (means of ${step})` : axis, unit]} />
            {lines.map(({ colour }, l) => <polyline fill="none" stroke={colour} stroke-width={px(2)} stroke-linejoin="round" points={seconds.map((t, i) => `${x.at(t - 0.5)},${y.at(values[l][i])}`).join(' ')} />)}
            {step === 1 && seconds.map((t, i) => <rect fill="transparent" x={x.at(t - 1)} width={x.at(t) - x.at(t - 1)} y={px(14)} height={bottom - px(14)}><title>{each} {t}: {lines.map(({ label }, l) => `${label} ${cellText(values[l][i])}`).join(', ')}</title></rect>)}
          </svg>
        );
      }}</Box>
    </figure>
  );
}

// Counts in equal steps; of their logarithm where they span more than an axis can show.
function binsOf(values: number[]): { edges: number[]; counts: number[] } {
  const least = values.reduce((a, b) => Math.min(a, b)), most = values.reduce((a, b) => Math.max(a, b)), log = least > 0 && most / least >= 30;
  const size = (value: number) => (log ? Math.log10(value) : value), low = size(least), high = size(most) > low ? size(most) : low + 1;
  const edges = Array.from({ length: BINS + 1 }, (_, i) => { const at = low + ((high - low) * i) / BINS; return log ? 10 ** at : at; }), counts = new Array<number>(BINS).fill(0);
  for (const value of values) ++counts[Math.min(BINS - 1, Math.floor(((size(value) - low) / (high - low)) * BINS))];
  return { edges, counts };
}

// `known`: the distribution of all requests in ns.
export function Histogram({ values, column, known }: { values: number[]; column: Column; known: Distribution }) {
  if (values.length === 0) return <p class="hint">No request has ended.</p>;
  const { edges, counts } = binsOf(values), most = Math.max(...counts);
  const marks: [string, number][] = [['p50', known.p50 / 1e6], ['p99', known.p99 / 1e6]], shown = marks.filter(([, at]) => at >= edges[0] && at <= edges[BINS]);
  return (
    <Box>{(width) => {
      const font = px(FONT), height = px(HEIGHT), bottom = height - font * 3.4, left = font * 5, top = px(14) + font;
      const alone = { ...column, at: 0 }, x = scaleOf([edges[0], edges[BINS]].map((value) => ({ cells: [value], point: 0, status: '', run: '', front: false })), alone, left, width - px(16)), y = linear(0, most * 1.05, bottom, top);
      return (
        <svg class="sweepfigure" width={width} height={height} viewBox={`0 0 ${width} ${height}`} font-size={font} role="img" aria-label={`${column.name} of ${count(values.length)} requests: ${marks.map(([name, at]) => `${name} ${cellText(at)}`).join(', ')}`}>
          <Axes x={x} y={y} width={width} height={height} left={left} bottom={bottom} names={[column.name, 'requests']} />
          {counts.map((one, i) => one > 0 && <rect class="fill" x={x.at(edges[i])} width={Math.max(1, x.at(edges[i + 1]) - x.at(edges[i]) - 1)} y={y.at(one)} height={bottom - y.at(one)}><title>{count(one)} from {cellText(edges[i])} to {cellText(edges[i + 1])}</title></rect>)}
          {shown.map(([name, at]) => <g><line class="markline" x1={x.at(at)} x2={x.at(at)} y1={top} y2={bottom} /><text x={x.at(at)} y={font} text-anchor={name === 'p50' ? 'end' : 'middle'}>{name}</text></g>)}
        </svg>
      );
    }}</Box>
  );
}
