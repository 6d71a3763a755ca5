// Relations of the selected operation: the message that it belongs to, or the other operations of its tile.
import { useMemo } from 'preact/hooks';
import { fetchMessages, fetchOperation, fetchRelated, type Message, type Operation, type Rows, type Run } from './api';
import { useAnswer } from './hooks';
import { cellOf, pathOf } from './nodes';
import { launchSpan } from './resources';
import type { Theme, Window } from './picture';
import { sizes } from './sizes';

export interface End { block: string; time: bigint }
export interface Link { from: End; to: End }
export interface Links { operation: Operation | null; failure: string; links: Link[]; message: Message | null; tile: number }

const STEPS = ['ipcq_send', 'ipcq_copy', 'ipcq_recv'];

function linksOfMessage(m: Message, t0: bigint): Link[] {
  const end = (block: string, fs: number): End => ({ block, time: t0 + BigInt(fs) });
  const links: Link[] = [];
  if (m.sender !== null && m.sent !== null && m.receiver !== null && m.arrived !== null) links.push({ from: end(`${m.sender}.pe_ipcq`, m.sent), to: end(`${m.receiver}.pe_dma`, m.arrived) });
  if (m.receiver !== null && m.arrived !== null && m.received !== null) links.push({ from: end(`${m.receiver}.pe_dma`, m.arrived), to: end(`${m.receiver}.pe_ipcq`, m.received) });
  return links;
}

export function useLinks(run: Run, seq: number | null): Links {
  const operation = useAnswer(seq === null ? '' : String(seq), (signal) => fetchOperation(seq!, signal));
  const op = seq !== null && operation.key === String(seq) ? operation.value : null;
  const start = op ? BigInt(op.start_fs) : 0n, end = op ? BigInt(op.end_fs) : 0n;
  // Includes messages of all launches at that time, because a sender may be on another SIP.
  const span = useMemo(() => run.launches.map(launchSpan).find((one) => one && one.t0 <= start && end <= one.t1) ?? null, [run, op]);
  const isStep = op !== null && STEPS.includes(op.name);
  const messages = useAnswer(isStep && span ? `${span.t0} ${span.t1}` : '', (signal) => fetchMessages(span!.t0, span!.t1, signal));
  const related = useAnswer(op && !isStep ? String(op.seq) : '', (signal) => fetchRelated(op!.seq, signal));
  return useMemo(() => {
    const nothing: Links = { operation: op, failure: operation.failure, links: [], message: null, tile: 0 };
    if (!op) return nothing;
    if (isStep && span && messages.value && messages.key === `${span.t0} ${span.t1}`) {
      const cell = cellOf(op.component), from = Number(start - span.t0), to = Number(end - span.t0);
      const message = messages.value.messages.find((m) => (op.name === 'ipcq_send' ? m.sender === cell && m.sent === from : op.name === 'ipcq_copy' ? m.arrived === to : m.receiver === cell && m.received === to)) ?? null;
      return { ...nothing, message, links: message ? linksOfMessage(message, span.t0) : [] };
    }
    if (related.key !== String(op.seq) || !related.value) return nothing;
    const steps = [...related.value].sort((a, b) => a[2] - b[2] || a[3] - b[3]), links: Link[] = [];
    // Each operation begins after the last one that ended before it.
    for (const [, block, begin] of steps) {
      const before = steps.filter((other) => other[3] <= begin && other[1] !== block).sort((a, b) => b[3] - a[3]);
      const last = before.length > 0 ? before.filter((other) => other[1] === before[0][1]) : [];
      for (const [, from, , done] of last) links.push({ from: { block: from, time: start + BigInt(done) }, to: { block, time: start + BigInt(begin) } });
    }
    return { ...nothing, links, tile: steps.length };
  }, [op, operation.failure, messages.value, messages.key, related.value, related.key]);
}

// Arrows between rows; an end in a folded row is drawn at the row that contains it.
export function paintLinks(c: CanvasRenderingContext2D, view: Window, links: Link[], rows: Rows, shown: number[], first: number, top: number, colours: Theme) {
  if (links.length === 0) return;
  const position = new Map(shown.map((row, i) => [rows.rows[row].name, i]));
  const yOf = (block: string): number | null => {
    for (const name of [block, ...pathOf(block).map(({ id }) => id).reverse()]) {
      const at = position.get(name);
      if (at !== undefined) return top + (at - first) * sizes.row + sizes.row / 2;
    }
    return null;
  };
  const scale = view.width / view.span;
  for (const { from, to } of links) {
    const y0 = yOf(from.block), y1 = yOf(to.block);
    if (y0 === null || y1 === null) continue;
    const x0 = Number(from.time - view.t0) * scale, x1 = Number(to.time - view.t0) * scale;
    const bend = Math.max(14, Math.min(80, Math.abs(x1 - x0) / 2)), size = 7;
    for (const [colour, width] of [[colours.surface, 4.5], [colours.mark, 2]] as [string, number][]) {
      c.strokeStyle = c.fillStyle = colour;
      c.lineWidth = width;
      c.beginPath();
      c.moveTo(x0, y0);
      c.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - size, y1);
      c.stroke();
    }
    c.beginPath();
    c.moveTo(x1, y1);
    c.lineTo(x1 - size, y1 - size * 0.6);
    c.lineTo(x1 - size, y1 + size * 0.6);
    c.fill();
    c.beginPath();
    c.arc(x0, y0, 3, 0, 2 * Math.PI);
    c.fill();
  }
}
