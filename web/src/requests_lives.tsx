// Requests over time: when each arrived, waited, had its input computed, and made its output.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Brush, type BrushLine } from './brush';
import { useSize } from './hooks';
import { paintGrid, paintRuler, prepare, textWidth, theme } from './picture';
import { livesOf, means, numbersOf, type Life, type Table } from './requests_data';
import type { Span } from './resources';
import { Section, Swatch } from './section';
import { sizes } from './sizes';
import type { To } from './sweep';
import type { SweepRow } from './sweep_data';
import { count, duration } from './time';
import { Tooltip } from './tooltip';

const FS = 1e15, MOST_ROWS = 400, PLOT = 560, LEAST_ROW = 3, MOST_ROW = 18, LEAST_LABELLED = 12;  // in pixels of a normal screen
export const QUEUING = '#c2559b', PREFILL = '#2f7fc1', DECODE = '#35a7a0', BLOCKS = '#c2a63a';
const PHASES: [string, string, (life: Life) => [number, number]][] = [
  ['queuing', QUEUING, ({ arrival, begin }) => [arrival, begin]], ['the step that completes the input', PREFILL, ({ begin, first }) => [begin, first]], ['output', DECODE, ({ first, end }) => [first, end]],
];

const spanOf = (from: number, to: number): Span => ({ t0: BigInt(Math.round(from * 1e9)) * 1000000n, t1: BigInt(Math.round(to * 1e9)) * 1000000n });
const secondsOf = (fs: bigint): number => Number(fs) / FS;

function linesOf(seconds: Table | null): BrushLine[] {
  if (!seconds) return [];
  const line = (label: string, colour: string, name: string, most?: number): BrushLine => {
    const values = numbersOf(seconds, name), all = most ?? (values.reduce((a, b) => Math.max(a, b), 0) || 1);
    return { label: `${label}${most ? '' : `, at most ${count(all)}`}`, colour, shares: means(values).map((value) => value / all) };
  };
  return [line('running', DECODE, 'running'), line('waiting', QUEUING, 'waiting'), line('blocks in use', BLOCKS, 'blocks', 100)];
}

export function Lives({ requests, rows, seconds, values, to, marked }: { requests: Table; rows: SweepRow[]; seconds: Table | null; values: URLSearchParams; to: To; marked: number | null }) {
  const lives = livesOf(requests, rows), end = Math.max(seconds?.rows.length ?? 0, lives.reduce((most, life) => Math.max(most, life.end), 0));
  const given = ['from', 'to'].map((name) => Number(values.get(name) ?? NaN)), chosen = given[0] >= 0 && given[1] > given[0] && given[1] <= end;
  const [from, until] = chosen ? given : [0, end];
  const inSight = lives.filter((life) => life.arrival <= until && life.end >= from), shown = inSight.slice(0, MOST_ROWS);
  const choose = (span: Span | null) => { location.hash = to({ from: span ? secondsOf(span.t0) : undefined, to: span ? secondsOf(span.t1) : undefined }).slice(1); };
  if (end === 0) return null;
  return (
    <Section title="Requests over time" hint="Drag on the strip to look at a piece of time; a click on a request shows its figures. A preempted request goes on waiting within its output.">
      <Brush whole={spanOf(0, end)} span={spanOf(from, until)} lines={linesOf(seconds)} failure="" choose={choose} width={() => undefined} />
      <p class="legend">{PHASES.map(([label, colour]) => <span><Swatch colour={colour} /> {label}</span>)}<span class="right">{shown.length < inSight.length ? `the first ${count(shown.length)} of ` : ''}{count(inSight.length)} requests</span></p>
      <Plot lives={shown} from={from} until={until} to={to} marked={marked} />
    </Section>
  );
}

function Plot({ lives, from, until, to, marked }: { lives: Life[]; from: number; until: number; to: To; marked: number | null }) {
  const box = useRef<HTMLDivElement>(null), plot = useRef<HTMLCanvasElement>(null), ruler = useRef<HTMLCanvasElement>(null), size = useSize(box);
  const [hover, setHover] = useState<{ life: Life; x: number; y: number } | null>(null);
  const row = Math.max(LEAST_ROW, Math.min(MOST_ROW, PLOT / Math.max(1, lives.length))) * sizes.scale, height = Math.ceil(row * lives.length);
  const labels = row >= LEAST_LABELLED * sizes.scale ? Math.ceil(Math.max(0, ...lives.map(({ id }) => textWidth(String(id), sizes.font)))) + 10 : 0;
  const width = Math.max(0, size.width - labels), x = (time: number) => labels + ((time - from) / (until - from)) * width;
  useEffect(() => {
    if (width === 0) return;
    const colours = theme(), view = { t0: spanOf(from, until).t0, span: (until - from) * FS, width };
    ruler.current!.style.marginLeft = `${labels}px`;
    paintRuler(prepare(ruler.current!, width, sizes.ruler), view, 0n, [], colours);
    const c = prepare(plot.current!, width + labels, height);
    c.save();
    c.translate(labels, 0);
    paintGrid(c, view, 0n, height, colours);
    c.restore();
    c.font = sizes.font;
    c.textBaseline = 'middle';
    lives.forEach((life, i) => {
      const y = i * row, edge = row > 6 ? 1.5 * sizes.scale : 0.5;
      if (labels > 0) { c.fillStyle = life.id === marked ? colours.text : colours.dim; c.fillText(String(life.id), 2, y + row / 2); }
      for (const [, colour, phase] of PHASES) {
        const [begin, stop] = phase(life), x0 = Math.max(labels, x(begin)), x1 = Math.min(labels + width, x(stop));
        if (stop <= begin || x1 < labels || x0 > labels + width) continue;
        c.fillStyle = colour;
        c.fillRect(x0, y + edge, Math.max(1, x1 - x0), row - 2 * edge);
      }
      if (life.id !== marked) return;
      c.strokeStyle = colours.mark;
      c.lineWidth = 1.5 * sizes.scale;
      c.strokeRect(Math.max(labels, x(life.arrival)) - 1, y + 0.5, Math.min(labels + width, x(life.end)) - Math.max(labels, x(life.arrival)) + 2, row - 1);
    });
  });
  const at = (event: MouseEvent): Life | undefined => lives[Math.floor(event.offsetY / row)];
  return (
    <div class="lives" ref={box}>
      <canvas ref={ruler} class="ranksruler" aria-hidden="true" />
      <canvas ref={plot} class="ranksplot" role="img" aria-label={`${count(lives.length)} requests from ${duration(from * FS)} to ${duration(until * FS)}; the table below has their times`}
        onPointerMove={(event) => { const life = at(event); setHover(life ? { life, x: event.clientX, y: event.clientY } : null); }} onPointerLeave={() => setHover(null)}
        onClick={(event) => { const life = at(event); if (life) location.hash = to({ point: life.id }).slice(1); }} />
      {hover && <Tooltip x={hover.x} y={hover.y}><strong>request {hover.life.id}</strong><span>arrives at {duration(hover.life.arrival * FS)}</span>{PHASES.map(([label, , phase]) => { const [begin, stop] = phase(hover.life); return <span>{label} {duration((stop - begin) * FS)}</span>; })}</Tooltip>}
    </div>
  );
}
