// Figures of a sweep: points over two columns, the front of its objectives, and a map of two axes.
import { Axes, Box, FONT, px, scaleOf } from './figure_axes';
import { heatColour, inkOn, isDark } from './heat';
import { textWidth } from './picture';
import { FAMILY } from './sizes';
import { cellText, numberText, valuesOf, type Cell, type Column, type SweepRow } from './sweep_data';
import { count } from './time';

const MOST_POINTS = 5000, LEAST_HEIGHT = 280, MOST_HEIGHT = 560, ASPECT = 0.45;
export const CATEGORIES = ['#d9822b', '#2a6fb0', '#5b9a3d', '#c2559b', '#7a5cc0', '#8c6d31', '#35a7a0', '#b03a2e', '#e0b13c', '#5d7285', '#e58fb1', '#3f6b4f'];

export interface Drawn { rows: SweepRow[]; to: (row: SweepRow) => string; marked: number | null }
const pointText = (row: SweepRow, columns: Column[], noun = 'point'): string => `${noun} ${row.point}: ${columns.map((column) => `${column.name} ${cellText(row.cells[column.at])}`).join(', ')}`;

const arrow = ({ goal }: Column): string => (goal === 'min' ? ' (less is better)' : goal === 'max' ? ' (more is better)' : '');

// `joined`: a line leads from each row to the next; `mark` is written beside the marked one.
interface Style { front?: boolean; joined?: boolean; mark?: string; noun?: string }
export function Scatter(props: Drawn & Style & { x: Column; y: Column; colour: Column | null }) {
  return <Box>{(width) => <Points {...props} width={width} />}</Box>;
}

function Points({ rows: all, to, marked, x, y, colour, front, joined, mark, noun, width }: Drawn & Style & { x: Column; y: Column; colour: Column | null; width: number }) {
  const usable = all.filter(({ cells }) => cells[x.at] !== null && cells[y.at] !== null), rows = usable.slice(0, MOST_POINTS);
  if (rows.length === 0) return <p class="hint">No point has a value in both columns.</p>;
  const height = Math.round(Math.max(px(LEAST_HEIGHT), Math.min(px(MOST_HEIGHT), width * ASPECT))), font = px(FONT), bottom = height - font * 3.4;
  const widest = y.numbers ? 8 : Math.max(...valuesOf(rows, y).map((value) => cellText(value).length));
  const left = Math.min(width * 0.3, font * (2.6 + 0.6 * Math.min(24, widest))), dark = isDark();
  const sx = scaleOf(rows, x, left, width - px(16)), sy = scaleOf(rows, y, bottom, px(14));
  const values = colour ? valuesOf(rows, colour) : [];
  const range = colour?.numbers ? [values[0] as number, values[values.length - 1] as number] : [0, 1];
  const paint = (row: SweepRow): string | undefined => {
    const cell = colour ? row.cells[colour.at] : null;
    if (!colour || cell === null) return undefined;
    return colour.numbers ? heatColour(0.15 + 0.85 * (((cell as number) - range[0]) / (range[1] - range[0] || 1)), dark) : CATEGORIES[values.indexOf(cell) % CATEGORIES.length];
  };
  const best = front ? rows.filter((row) => row.front).sort((a, b) => (a.cells[x.at] as number) - (b.cells[x.at] as number)) : [];
  return (
    <>
      <svg class="sweepfigure" width={width} height={height} viewBox={`0 0 ${width} ${height}`} font-size={font} role="img" aria-label={`${y.name} over ${x.name}, ${count(rows.length)} points${front ? `, ${count(best.length)} on the front` : ''}`}>
        <Axes x={sx} y={sy} width={width} height={height} left={left} bottom={bottom} names={[x.name + arrow(x), y.name + arrow(y)]} />
        {(joined || best.length > 1) && <polyline class="front" fill="none" points={(joined ? rows : best).map((row) => `${sx.at(row.cells[x.at])},${sy.at(row.cells[y.at])}`).join(' ')} />}
        {rows.map((row) => (
          <a href={to(row)}>
            <circle class={front ? (row.front ? 'dot best' : 'dot worse') : 'dot'} cx={sx.at(row.cells[x.at])} cy={sy.at(row.cells[y.at])} r={px(row.point === marked ? 8 : front && row.front ? 6 : 4.5)} fill={paint(row)} stroke={row.point === marked ? 'currentColor' : undefined}>
              <title>{pointText(row, colour ? [x, y, colour] : [x, y], noun)}</title>
            </circle>
          </a>
        ))}
        {mark && rows.filter((row) => row.point === marked).map((row) => <text class="axisname" x={sx.at(row.cells[x.at]) - px(12)} y={sy.at(row.cells[y.at]) - px(8)} text-anchor="end">{mark}</text>)}
      </svg>
      {colour && !colour.numbers && <p class="legend">{values.slice(0, 20).map((value, i) => <span><svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" fill={CATEGORIES[i % CATEGORIES.length]} /></svg> {cellText(value)}</span>)}</p>}
      {colour?.numbers && <p class="legend"><span>{colour.name}: {numberText(range[0])} <Ramp /> {numberText(range[1])}</span></p>}
      {usable.length > rows.length && <p class="hint">The first {count(rows.length)} of {count(usable.length)} points are drawn; a filter of the table chooses others.</p>}
    </>
  );
}

function Ramp() {
  const dark = isDark();
  return <svg class="scale" viewBox="0 0 50 10" preserveAspectRatio="none" aria-hidden="true">{Array.from({ length: 25 }, (_, i) => <rect x={i * 2} width="2.1" height="10" fill={heatColour(0.15 + (0.85 * i) / 24, dark)} />)}</svg>;
}

// The value for several rows of one cell: the best one of an objective, otherwise their mean.
function valueOfCell(rows: SweepRow[], column: Column): number {
  const values = rows.map(({ cells }) => cells[column.at] as number);
  if (column.goal === 'min') return Math.min(...values);
  if (column.goal === 'max') return Math.max(...values);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function Heat(props: Drawn & { x: Column; y: Column; value: Column; narrow: (x: Cell, y: Cell) => string }) {
  return <Box>{(width) => <Cells {...props} width={width} />}</Box>;
}

function Cells({ rows: all, to, marked, x, y, value, narrow, width }: Drawn & { x: Column; y: Column; value: Column; narrow: (x: Cell, y: Cell) => string; width: number }) {
  const rows = all.filter(({ cells }) => cells[x.at] !== null && cells[y.at] !== null && typeof cells[value.at] === 'number');
  const xs = valuesOf(rows, x), ys = valuesOf(rows, y).reverse();
  if (rows.length === 0) return <p class="hint">No point has numbers there.</p>;
  if (xs.length * ys.length > MOST_POINTS) return <p class="hint">{count(xs.length)} by {count(ys.length)} cells are more than can be drawn; a filter of the table chooses fewer.</p>;
  const cells = new Map<string, SweepRow[]>();
  for (const row of rows) { const key = JSON.stringify([row.cells[x.at], row.cells[y.at]]); cells.set(key, [...(cells.get(key) ?? []), row]); }
  const drawn = [...cells.values()].map((mine) => ({ mine, value: valueOfCell(mine, value), i: xs.indexOf(mine[0].cells[x.at]), j: ys.indexOf(mine[0].cells[y.at]) }));
  const least = Math.min(...drawn.map((one) => one.value)), most = Math.max(...drawn.map((one) => one.value)), dark = isDark();
  const font = px(FONT), widest = Math.max(...ys.map((one) => textWidth(cellText(one), `${font}px ${FAMILY}`)));
  const left = Math.min(width * 0.35, widest + font * 3), w = Math.min(px(140), (width - left - px(16)) / xs.length), h = Math.max(font * 1.8, Math.min(px(44), w));
  const top = px(8), bottom = top + ys.length * h, height = bottom + font * 4, every = Math.ceil(Math.max(...xs.map((one) => textWidth(cellText(one), `${font}px ${FAMILY}`) + 6)) / w);
  return (
    <>
      <svg class="sweepfigure" width={width} height={height} viewBox={`0 0 ${width} ${height}`} font-size={font} role="img" aria-label={`${value.name} by ${x.name} and ${y.name}, from ${numberText(least)} to ${numberText(most)}`}>
        {ys.map((one, j) => <text x={left - font * 0.5} y={top + (j + 0.5) * h + font * 0.35} text-anchor="end">{cellText(one)}</text>)}
        {xs.map((one, i) => i % every === 0 && <text x={left + (i + 0.5) * w} y={bottom + font * 1.4} text-anchor="middle">{cellText(one)}</text>)}
        <text class="axisname" x={left + (xs.length * w) / 2} y={height - font * 0.6} text-anchor="middle">{x.name}</text>
        <text class="axisname" x={font} y={(top + bottom) / 2} text-anchor="middle" transform={`rotate(-90 ${font} ${(top + bottom) / 2})`}>{y.name}</text>
        {drawn.map(({ mine, value: number, i, j }) => {
          const share = 0.1 + 0.9 * (most > least ? (number - least) / (most - least) : 0.5), text = numberText(Number(number.toPrecision(4)));
          return (
            <a href={mine.length === 1 ? to(mine[0]) : narrow(xs[i], ys[j])}>
              <rect class={mine.some(({ point }) => point === marked) ? 'heatcell marked' : 'heatcell'} x={left + i * w} y={top + j * h} width={w - 1} height={h - 1} fill={heatColour(share, dark)}>
                <title>{mine.length === 1 ? pointText(mine[0], [x, y, value]) : `${count(mine.length)} points: ${value.name} ${numberText(number)}, ${value.goal ? 'the best of them' : 'their mean'}`}</title>
              </rect>
              {textWidth(text, `${font}px ${FAMILY}`) < w - 4 && <text class="heattext" x={left + (i + 0.5) * w} y={top + (j + 0.5) * h + font * 0.35} text-anchor="middle" fill={inkOn(share, dark)}>{text}</text>}
            </a>
          );
        })}
      </svg>
      <p class="legend"><span>{value.name}{arrow(value)}: {numberText(least)} <Ramp /> {numberText(most)}</span>{drawn.some(({ mine }) => mine.length > 1) && <span>A cell of several points shows {value.goal ? 'the best of them' : 'their mean'}; a click lists them.</span>}</p>
    </>
  );
}
