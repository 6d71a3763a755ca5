// States of PEs in the rows of a timeline: those of a PE, or the mean over a cube or SIP.
import { useEffect, useRef } from 'preact/hooks';
import { fetchStates, type Rows, type Strips } from './api';
import { rgb } from './colours';
import { partOf } from './nodes';
import { STATES } from './words';
import type { Window } from './picture';
import type { View } from './timeline_input';

const MARGIN = 0.25, MOST_COLUMNS = 1024, MOST_ROWS = 256;
const HEIGHT = 16;  // height of a strip, scaled to the row

export interface StateStrips { t0: bigint; span: number; columns: number; picture: HTMLCanvasElement; at: Map<number, number>; shares: Map<number, Map<string, Uint8Array>> }

// Only rows that contain PEs have states.
const hasStates = (rows: Rows, row: number): boolean => !rows.rows[row].component && partOf(rows.rows[row].name)?.level !== 'io';

// States are stacked, as in a column of PE times.
export function paintStrips({ columns, strips }: Strips): { picture: HTMLCanvasElement; at: Map<number, number>; shares: Map<number, Map<string, Uint8Array>> } {
  const shares = new Map<number, Map<string, Uint8Array>>();
  for (const { row, state, shares: values } of strips) shares.set(row, (shares.get(row) ?? new Map()).set(state, values));
  const picture = document.createElement('canvas'), at = new Map([...shares.keys()].map((row, i) => [row, i]));
  picture.width = Math.max(1, columns);
  picture.height = Math.max(1, shares.size * HEIGHT);
  const image = new ImageData(picture.width, picture.height), pixels = new Uint32Array(image.data.buffer);
  for (const [row, states] of shares) {
    const fill = new Float32Array(columns), top = at.get(row)! * HEIGHT;
    for (const { name, colour } of STATES) {
      const values = states.get(name);
      if (!values) continue;
      const [r, g, b] = rgb(colour), pixel = (255 << 24) | (b << 16) | (g << 8) | r;
      for (let x = 0; x < columns; ++x) {
        if (values[x] === 0) continue;
        const from = Math.round(fill[x]);
        fill[x] = Math.min(HEIGHT, fill[x] + (values[x] / 255) * HEIGHT);
        for (let y = from, to = Math.round(fill[x]); y < to; ++y) pixels[(top + HEIGHT - 1 - y) * columns + x] = pixel;
      }
    }
  }
  picture.getContext('2d')!.putImageData(image, 0, 0);
  return { picture, at, shares };
}

// States of the visible rows. While a request is pending, only the latest one is kept waiting.
export function useStates(rows: Rows, view: View, inSight: number[], width: number, take: (strips: StateStrips) => void) {
  const wish = useRef<(() => Promise<void>) | null>(null), busy = useRef(false), ended = useRef(new AbortController());
  const wanted = inSight.filter((row) => hasStates(rows, row)).slice(0, MOST_ROWS);
  const key = `${view.t0} ${view.span} ${width} ${wanted.join(',')}`;
  useEffect(() => () => ended.current.abort(), []);
  useEffect(() => {
    if (width === 0 || wanted.length === 0) return;
    wish.current = async () => {
      const edge = BigInt(Math.round(view.span * MARGIN));
      const t0 = view.t0 > edge ? view.t0 - edge : 0n, t1 = view.t0 + BigInt(Math.round(view.span)) + edge;
      const columns = Math.max(1, Math.min(MOST_COLUMNS, Math.round(width)));
      const strips = await fetchStates(t0, t1, columns, `rows=${wanted.join(',')}`, ended.current.signal);
      take({ t0: strips.t0, span: Number(strips.t1 - strips.t0), columns: strips.columns, ...paintStrips(strips) });
    };
    const work = async () => {
      busy.current = true;
      while (wish.current) {
        const next = wish.current;
        wish.current = null;
        await next().catch(() => undefined);  // the tiles report errors
      }
      busy.current = false;
    };
    if (!busy.current) work();
  }, [key]);
}

export function drawStates(c: CanvasRenderingContext2D, view: Window, strips: StateStrips, row: number, y: number, height: number) {
  const at = strips.at.get(row)!;
  const scale = view.width / view.span, x = Number(strips.t0 - view.t0) * scale;
  c.imageSmoothingEnabled = false;
  c.drawImage(strips.picture, 0, at * HEIGHT, strips.columns, HEIGHT, x, y, strips.span * scale, height);
}

// States at a time, the largest share first.
export function statesAt(strips: StateStrips, row: number, time: bigint): { label: string; share: number }[] {
  const column = Math.floor((Number(time - strips.t0) / strips.span) * strips.columns);
  return STATES.map(({ name, label }) => ({ label, share: (strips.shares.get(row)?.get(name)?.[column] ?? 0) / 255 }))
    .filter(({ share }) => share > 0.002).sort((a, b) => b.share - a.share);
}
