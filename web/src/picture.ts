// Paints rows of a tile on a canvas.
import type { Rows, Tile } from './api';
import { operationColour, rgb } from './colours';
import { sizes } from './sizes';
import { tickStep, unitFor } from './time';

// In pixels of a normal screen.
const EDGE = 3, LEAST_LABEL = 44, LEAST_TICK = 110, LEAST_TICK_PHONE = 75;
const LEAST_OP = 2;

const edge = (): number => Math.round(EDGE * sizes.scale);
// Minimum distance of ticks in pixels.
export const leastTick = (): number => (sizes.phone ? LEAST_TICK_PHONE : LEAST_TICK) * sizes.scale;

export interface Window { t0: bigint; span: number; width: number }  // width in CSS pixels

export interface PlacedOps {
  start: Float64Array;
  end: Float64Array;
  lane: Uint8Array;
  lanes: Map<number, number>;       // by row id
  byRow: Map<number, number[]>;     // indices by row id, in order of start
}

// Overlapping operations are drawn in lanes, each in the first free one.
export function placeOps(tile: Tile): PlacedOps | null {
  const { ops } = tile;
  if (!ops) return null;
  const size = ops.seq.length;
  const placed: PlacedOps = {
    start: ops.start, end: ops.end, lane: new Uint8Array(size), lanes: new Map(), byRow: new Map(),
  };
  const free = new Map<number, number[]>();
  for (let i = 0; i < size; ++i) {
    const row = tile.rowIds[ops.row[i]];
    const ends = free.get(row) ?? [];
    let lane = ends.findIndex((end) => end <= placed.start[i]);
    if (lane < 0) lane = ends.length < 12 ? ends.length : 11;
    ends[lane] = Math.max(ends[lane] ?? 0, placed.end[i]);
    free.set(row, ends);
    placed.lane[i] = lane;
    placed.lanes.set(row, ends.length);
    const list = placed.byRow.get(row);
    if (list) list.push(i);
    else placed.byRow.set(row, [i]);
  }
  return placed;
}

export interface Theme { text: string; dim: string; line: string; surface: string; accent: string; mark: string }

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return { text: value('--text'), dim: value('--dim'), line: value('--line'), surface: value('--surface'), accent: value('--accent'), mark: value('--mark') };
}

// The canvas has the resolution of the screen; the context uses CSS pixels.
export function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1;
  const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export function textWidth(text: string, font: string): number {
  const context = document.createElement('canvas').getContext('2d')!;
  context.font = font;
  return context.measureText(text).width;
}

export class Painter {
  private colours: [number, number, number][];
  private styles: string[];
  private names: string[];
  private strip = document.createElement('canvas');

  constructor(rows: Rows) {
    this.names = rows.operations.map(({ name }) => name.replace(/^TileToken\//, ''));
    this.styles = rows.operations.map(operationColour);
    this.colours = this.styles.map(rgb);
  }

  label(operation: number): string {
    return this.names[operation] ?? '?';
  }

  // `shown`: row ids from the top; the first one is at `top` pixels.
  paint(c: CanvasRenderingContext2D, view: Window, tile: Tile | null, ops: PlacedOps | null, shown: number[], top: number,
    component: (row: number) => boolean, selected: number | null, t: Theme,
    instead: { has: (row: number) => boolean; draw: (row: number, y: number, height: number) => void } | null): void {
    if (!tile || shown.length === 0) return;
    const position = new Map(tile.rowIds.map((row, i) => [row, i]));
    // Operations narrower than a few pixels are drawn as shares.
    const singly = (row: number) => (ops?.byRow.get(row)?.length ?? 0) * LEAST_OP <= view.width * (tile.width * tile.columns / view.span);
    const width = Math.ceil(view.width);
    const image = new ImageData(width, shown.length);
    const shares = new Float32Array(width);
    const best = new Float32Array(width);
    const kind = new Uint16Array(width);
    shown.forEach((row, r) => {
      const at = position.get(row);
      if (at === undefined || instead?.has(row) || (ops && component(row) && singly(row))) return;
      this.shares(view, tile, at, width, shares, best, kind);
      for (let x = 0; x < width; ++x) {
        if (kind[x] === 0xffff) continue;
        const [red, green, blue] = this.colours[kind[x]] ?? [128, 128, 128];
        const p = 4 * (r * width + x);
        image.data[p] = red;
        image.data[p + 1] = green;
        image.data[p + 2] = blue;
        image.data[p + 3] = 40 + 215 * Math.min(1, shares[x]);
      }
    });
    this.strip.width = width;
    this.strip.height = shown.length;
    this.strip.getContext('2d')!.putImageData(image, 0, 0);
    c.imageSmoothingEnabled = false;
    shown.forEach((row, r) => {
      if (instead?.has(row)) return instead.draw(row, top + r * sizes.row + edge(), sizes.row - 2 * edge());
      if (ops && component(row) && singly(row)) return;
      c.drawImage(this.strip, 0, r, width, 1, 0, top + r * sizes.row + edge(), width, sizes.row - 2 * edge());
    });
    if (ops) this.paintOps(c, view, tile, ops, shown, top, selected, t, singly);
  }

  // Busy time per pixel of a row of the tile, and the dominant operation.
  private shares(view: Window, tile: Tile, at: number, width: number, shares: Float32Array, best: Float32Array, kind: Uint16Array): void {
    shares.fill(0);
    best.fill(-1);
    kind.fill(0xffff);
    const perPixel = view.span / view.width;
    const origin = Number(tile.first - view.t0);
    const from = Math.max(0, Math.floor(-origin / tile.width));
    const to = Math.min(tile.columns, Math.ceil((view.span - origin) / tile.width));
    for (let column = from; column < to; ++column) {
      const cell = at * tile.columns + column;
      const operation = tile.dominant[cell];
      if (operation === 0xffff && tile.share[cell] === 0) continue;
      const begin = (origin + column * tile.width) / perPixel;
      const end = begin + tile.width / perPixel;
      const last = Math.min(width - 1, Math.ceil(end) - 1);
      for (let x = Math.max(0, Math.floor(begin)); x <= last; ++x) {
        const part = tile.share[cell] * (Math.min(end, x + 1) - Math.max(begin, x));
        shares[x] += part;
        if (part < best[x]) continue;
        best[x] = part;
        kind[x] = operation;
      }
    }
  }

  private paintOps(c: CanvasRenderingContext2D, view: Window, tile: Tile, ops: PlacedOps, shown: number[], top: number, selected: number | null, t: Theme, singly: (row: number) => boolean): void {
    const scale = view.width / view.span;
    const origin = Number(tile.first - view.t0);
    c.font = sizes.font;
    c.textBaseline = 'middle';
    let last = -1;  // because changing the colour costs more than a rectangle
    shown.forEach((row, r) => {
      const lanes = ops.lanes.get(row) ?? 1;
      const height = (sizes.row - 2 * edge()) / lanes;
      const all = !singly(row);
      for (const i of ops.byRow.get(row) ?? []) {
        if (all && tile.ops!.seq[i] !== selected) continue;
        const x0 = (origin + ops.start[i]) * scale, x1 = (origin + ops.end[i]) * scale;
        if (x1 < 0 || x0 > view.width) continue;
        const left = Math.max(x0, -2), w = Math.max(1, Math.min(x1, view.width + 2) - left);
        const y = top + r * sizes.row + edge() + ops.lane[i] * height;
        const operation = tile.ops!.operation[i];
        if (operation !== last) c.fillStyle = this.styles[operation] ?? '#808080';
        last = operation;
        c.fillRect(left, y, w > 3 ? w - 0.75 : w, Math.max(1, height - (lanes > 1 ? 0.75 : 0)));
        if (tile.ops!.seq[i] === selected) {
          c.strokeStyle = t.mark;
          c.lineWidth = 2;
          c.strokeRect(left - 1, y - 1, w + 2, height + 2);
        }
        if (w <= LEAST_LABEL * sizes.scale || height <= edge() * 3.5) continue;
        this.text(c, operation, Math.max(left, 0), w, y + height / 2);
      }
    });
  }

  private text(c: CanvasRenderingContext2D, operation: number, x: number, width: number, y: number): void {
    c.save();
    c.beginPath();
    c.rect(x, y - edge() * 3, width - 4, edge() * 6);
    c.clip();
    c.fillStyle = '#fff';
    c.fillText(this.label(operation), x + 4, y + 0.5);
    c.restore();
  }
}

export interface Mark { begin: bigint; end: bigint; text: string }

// Ticks at round times, counted from `zero`, and the launches.
export function paintRuler(c: CanvasRenderingContext2D, view: Window, zero: bigint, marks: Mark[], t: Theme): void {
  const scale = view.width / view.span;
  const step = tickStep((view.span / view.width) * leastTick());
  const [unit, name] = unitFor(step * 9);
  const from = Number(view.t0 - zero);
  c.font = sizes.font;
  c.textBaseline = 'middle';
  for (const mark of marks) {
    const x0 = Math.max(0, Number(mark.begin - view.t0) * scale), x1 = Math.min(view.width, Number(mark.end - view.t0) * scale);
    if (x1 <= 0 || x0 >= view.width) continue;
    c.fillStyle = t.accent;
    c.fillRect(x0, sizes.ruler - 4, Math.max(1.5, x1 - x0), 3);
  }
  c.fillStyle = t.dim;
  for (let tick = Math.ceil(from / step) * step; tick <= from + view.span; tick += step) {
    const x = (tick - from) * scale;
    c.fillRect(x, sizes.ruler - 8, 1, 8);
    const value = tick / unit;
    const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step / unit) + 1e-9)));
    const text = `${value.toFixed(digits)} ${name}`;
    if (x + c.measureText(text).width + 6 < view.width) c.fillText(text, x + 4, sizes.ruler * 0.36);
  }
}

export function paintGrid(c: CanvasRenderingContext2D, view: Window, zero: bigint, height: number, t: Theme): void {
  const scale = view.width / view.span;
  const step = tickStep((view.span / view.width) * leastTick());
  const from = Number(view.t0 - zero);
  c.fillStyle = t.line;
  for (let tick = Math.ceil(from / step) * step; tick <= from + view.span; tick += step) c.fillRect((tick - from) * scale, 0, 1, height);
}
