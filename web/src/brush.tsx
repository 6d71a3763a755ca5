// A time strip in which the user selects a window.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isReport } from './answers';
import type { Profile } from './api';
import { prepare, theme } from './picture';
import type { Span } from './resources';
import { OnlyServed, Swatch } from './section';
import { sizes } from './sizes';
import { duration } from './time';
import { KINDS } from './words';

const HEIGHT = 64, LEAST = 6;  // in pixels of a normal screen

export interface BrushLine { label: string; colour: string; shares: number[] }

// `lines` stand in place of those of a profile.
export function Brush(props: { whole: Span; span: Span; profile?: Profile | null; lines?: BrushLine[]; failure: string; choose: (span: Span | null) => void; width: (columns: number) => void }) {
  const { whole, span, profile } = props;
  const drawn = props.lines ?? KINDS.filter(({ colour }) => colour).map(({ name, label, colour }) => ({ label, colour, shares: profile?.[name] ?? [] }));
  const canvas = useRef<HTMLCanvasElement>(null), box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const drag = useRef<number | null>(null);
  useLayoutEffect(() => {
    const measure = () => { const now = box.current?.clientWidth ?? 0; setWidth(now); props.width(now); };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  const length = Number(whole.t1 - whole.t0);
  const xOf = (time: bigint) => (Number(time - whole.t0) / length) * width;
  const timeAt = (x: number): bigint => whole.t0 + BigInt(Math.round((Math.max(0, Math.min(width, x)) / width) * length));
  useEffect(() => {
    if (width === 0) return;
    const height = Math.round(HEIGHT * sizes.scale), c = prepare(canvas.current!, width, height), colours = theme();
    const x0 = xOf(span.t0), x1 = xOf(span.t1);
    c.fillStyle = colours.line;
    c.fillRect(x0, 0, Math.max(1, x1 - x0), height);
    for (const { colour, shares } of drawn) {
      c.strokeStyle = colour;
      c.lineWidth = 1.5 * sizes.scale;
      c.beginPath();
      shares.forEach((share, i) => {
        const x = (i / shares.length) * width, y = height - 2 - Math.min(1, share) * (height - 6);
        c.lineTo(x, y);
        c.lineTo(x + width / shares.length, y);
      });
      c.stroke();
    }
    c.fillStyle = colours.accent;
    c.fillRect(x0, 0, 1.5, height);
    c.fillRect(x1 - 1.5, 0, 1.5, height);
  });
  // A report only has answers for this window.
  const choose = (next: Span | null) => { if (!isReport) props.choose(next); };
  const change = (event: PointerEvent) => {
    if (drag.current === null) return;
    const a = Math.min(drag.current, event.offsetX), b = Math.max(drag.current, event.offsetX);
    if (b - a >= LEAST) choose({ t0: timeAt(a), t1: timeAt(b) });
  };
  const step = BigInt(Math.max(1, Math.round(length / 20)));
  const shift = (by: bigint, grow: bigint) => {
    const t0 = span.t0 + by - grow, t1 = span.t1 + by + grow;
    if (t1 - t0 > step / 4n && t0 >= whole.t0 && t1 <= whole.t1) choose({ t0, t1 });
  };
  const keys: Record<string, () => void> = {
    ArrowLeft: () => shift(-step, 0n), ArrowRight: () => shift(step, 0n), '-': () => shift(0n, step / 2n), '+': () => shift(0n, -step / 2n), Home: () => choose(null),
  };
  return (
    <div class="brush"><div ref={box} />
      <canvas ref={canvas} tabIndex={0} role="application" aria-label="Activity over time. Drag to choose a window; left and right move it, plus and minus change its length, Home takes all."
        onPointerDown={(event) => { drag.current = event.offsetX; canvas.current!.setPointerCapture(event.pointerId); }}
        onPointerMove={change}
        onPointerUp={(event) => { if (drag.current !== null && Math.abs(event.offsetX - drag.current) < LEAST) choose(null); drag.current = null; }}
        onKeyDown={(event) => { const action = keys[event.key]; if (action) { event.preventDefault(); action(); } }} />
      <p class="legend">
        {drawn.map(({ label, colour }) => <span><Swatch colour={colour} /> {label}</span>)}
        <span class="right">window of {duration(Number(span.t1 - span.t0))}, {duration(Number(span.t0 - whole.t0))} after the begin{!isReport && '; a click takes all'}</span>
        {isReport && <OnlyServed what="Choosing another window needs" />}
        {props.failure && <span>{props.failure}</span>}
      </p>
    </div>
  );
}
