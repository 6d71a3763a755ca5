// Inputs of a timeline: tiles from the server, and the mouse.
import { useEffect, useRef } from 'preact/hooks';
import { fetchTile, type Tile } from './api';
import { placeOps, type PlacedOps } from './picture';

const MOST_BUCKETS = 700000;  // per picture; painting more takes longer than a frame
const MARGIN = 0.25;  // share of the window that is requested in addition on each side

export interface View { t0: bigint; span: number }
export interface Hit { row: number; op: number | null; column: number | null; time: bigint }

// Requests the visible window with margins. While a request is pending, only the latest one is kept waiting.
export function useTiles(view: View, inSight: number[], width: number, take: (tile: { tile: Tile; ops: PlacedOps | null }) => void, fail: (text: string) => void) {
  const busy = useRef(false), wish = useRef<(() => Promise<void>) | null>(null), ended = useRef(new AbortController());
  const key = `${view.t0} ${view.span} ${width} ${inSight.join(',')}`;
  useEffect(() => () => ended.current.abort(), []);
  useEffect(() => {
    if (width === 0 || inSight.length === 0) return;
    const run = async () => {
      const edge = BigInt(Math.round(view.span * MARGIN));
      const t0 = view.t0 > edge ? view.t0 - edge : 0n, t1 = view.t0 + BigInt(Math.round(view.span)) + edge;
      const pixels = Math.max(1, Math.min(Math.round(width * (1 + 2 * MARGIN)), Math.floor(MOST_BUCKETS / (4 * inSight.length)), 16384));
      try {
        const tile = await fetchTile(inSight, t0, t1, pixels, ended.current.signal);
        take({ tile, ops: placeOps(tile) });
        fail('');
      } catch (error) {
        if (!ended.current.signal.aborted) fail(error instanceof Error ? error.message : String(error));
      }
    };
    const next = async () => {
      busy.current = true;
      while (wish.current) {
        const work = wish.current;
        wish.current = null;
        await work();
      }
      busy.current = false;
    };
    wish.current = run;
    if (!busy.current) next();
  }, [key]);
}

interface Pointer {
  plot: { current: HTMLCanvasElement | null };
  scroller: { current: HTMLDivElement | null };
  size: { width: number };
  zoom: (factor: number, at?: number) => void;
  pan: (share: number) => void;
  setHover: (hover: { x: number; y: number; hit: Hit } | null) => void;
  hitAt: (x: number, y: number) => Hit | null;
  clicked: (hit: Hit) => void;
}

export function usePlotPointer(pointer: Pointer) {
  const now = useRef(pointer);
  now.current = pointer;
  useEffect(() => {
    const canvas = pointer.plot.current!;
    let drag: { x: number; y: number; moved: boolean } | null = null;
    const held = new Map<number, { x: number; y: number }>();  // fingers and the pressed mouse button
    const place = (event: MouseEvent) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const { size, zoom, pan } = now.current;
      const pixels = event.deltaMode === 1 ? 30 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return pan(((event.deltaX || event.deltaY) * pixels) / size.width);
      return zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY * pixels)) * 0.003), place(event).x / size.width);
    };
    const down = (event: PointerEvent) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      held.set(event.pointerId, place(event));
      drag = held.size === 1 ? { ...place(event), moved: false } : null;
    };
    // Two fingers zoom around the point between them.
    const pinch = (event: PointerEvent) => {
      const span = () => { const [a, b] = [...held.values()]; return Math.max(20, Math.abs(a.x - b.x)); };
      const before = span();
      held.set(event.pointerId, place(event));
      const [a, b] = [...held.values()];
      now.current.setHover(null);
      now.current.zoom(before / span(), (a.x + b.x) / 2 / now.current.size.width);
    };
    const move = (event: PointerEvent) => {
      const at = place(event);
      if (held.size > 1) return held.has(event.pointerId) ? pinch(event) : undefined;
      if (!drag) {
        const hit = now.current.hitAt(at.x, at.y);
        return now.current.setHover(hit ? { x: event.clientX, y: event.clientY, hit } : null);
      }
      if (!drag.moved && Math.hypot(at.x - drag.x, at.y - drag.y) < 4) return;
      now.current.pan((drag.x - at.x) / now.current.size.width);
      now.current.scroller.current!.scrollTop += drag.y - at.y;
      now.current.setHover(null);
      drag = { ...at, moved: true };
    };
    const cancel = (event: PointerEvent) => {
      held.delete(event.pointerId);
      drag = null;
    };
    const up = (event: PointerEvent) => {
      const at = place(event);
      const hit = drag && !drag.moved ? now.current.hitAt(at.x, at.y) : null;
      cancel(event);
      if (hit) now.current.clicked(hit);
    };
    const twice = (event: MouseEvent) => now.current.zoom(1 / 4, place(event).x / now.current.size.width);
    const leave = () => now.current.setHover(null);
    const handlers = { pointerdown: down, pointermove: move, pointerup: up, pointercancel: cancel, pointerleave: leave, dblclick: twice };
    const each = Object.entries(handlers) as [string, EventListener][];
    canvas.addEventListener('wheel', wheel, { passive: false });
    each.forEach(([name, handler]) => canvas.addEventListener(name, handler));
    return () => {
      canvas.removeEventListener('wheel', wheel);
      each.forEach(([name, handler]) => canvas.removeEventListener(name, handler));
    };
  }, []);
}
