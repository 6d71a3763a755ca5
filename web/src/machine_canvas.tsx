// Paints a picture of a machine: as a heat map, or, with `says`, without figures.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { changeColour, heatColour, inkOn, isDark } from './heat';
import { useSize } from './hooks';
import { valueOf, type Figures, type Measure, type Picture, type Shape } from './machine_layout';
import { isIn, partOf } from './nodes';
import { prepare, theme } from './picture';
import { bytesText, rateText } from './resources';
import { FAMILY, sizes } from './sizes';
import { count, duration, percent } from './time';
import { Tooltip } from './tooltip';

// In pixels of a normal screen.
const NEAR = 5;  // maximum distance of the mouse from a wire
const LEAST_FONT = 9, MOST_FONT = 13, FONT = 11;
const MARGIN = 28, MARGIN_PHONE = 16, MOST_SCALE = 2.2;

export function figureLines(f: Figures, ns: number, measure: Measure = 'busy'): string[] {
  if (measure === 'difference') return [`${f.share > 0 ? '+' : f.share < 0 ? '−' : ''}${percent(Math.abs(f.share))} of the time busy`];
  const lines = [`${percent(f.share)} busy`];
  if (f.bytes > 0) lines.push(`${bytesText(f.bytes)}, ${rateText(f.bytes / ns)}${f.gbs > 0 ? ` of ${rateText(f.gbs)}` : ''}`);
  if (f.waitNs > 0) lines.push(`${duration(f.waitNs * 1e6)} waited, all together`);
  if (f.queue > 0) lines.push(`longest queue ${count(f.queue)}`);
  return lines;
}

// The value with the strongest colour: the whole time, or the largest value in the picture.
export const largest = (picture: Picture, measure: Measure): number =>
  (measure === 'busy' || measure === 'difference' ? 1 : Math.max(1e-9, ...picture.shapes.map(({ figures }) => (figures ? valueOf(figures, measure) : 0))));

function distance(shape: Shape, x: number, y: number): number {
  const [x0, y0, x1, y1] = shape.line!;
  const length = (x1 - x0) ** 2 + (y1 - y0) ** 2;
  const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / length));
  return Math.hypot(x - x0 - t * (x1 - x0), y - y0 - t * (y1 - y0));
}

function shapeAt(picture: Picture, x: number, y: number, scale: number): Shape | null {
  for (const frames of [false, true]) {
    for (let i = picture.shapes.length - 1; i >= 0; --i) {
      const { rect, frame } = picture.shapes[i];
      if (rect && !!frame === frames && x >= rect[0] && x < rect[0] + rect[2] && y >= rect[1] && y < rect[1] + rect[3]) return picture.shapes[i];
    }
    if (frames) break;
    let best: Shape | null = null, near = (NEAR * sizes.scale) / scale;
    for (const shape of picture.shapes) {
      const far = shape.line ? distance(shape, x, y) : Infinity;
      if (far < near) { best = shape; near = far; }
    }
    if (best) return best;
  }
  return null;
}

// Size of a picture; some blocks extend beyond its edge.
function boundsOf(picture: Picture): [x0: number, y0: number, x1: number, y1: number] {
  return picture.shapes.reduce<[number, number, number, number]>(([x0, y0, x1, y1], { rect }) => (rect
    ? [Math.min(x0, rect[0]), Math.min(y0, rect[1]), Math.max(x1, rect[0] + rect[2]), Math.max(y1, rect[1] + rect[3])] : [x0, y0, x1, y1]), [0, 0, picture.width, picture.height]);
}

const centre = ({ rect, line }: Shape): [number, number] => (rect ? [rect[0] + rect[2] / 2, rect[1] + rect[3] / 2] : [(line![0] + line![2]) / 2, (line![1] + line![3]) / 2]);

// The nearest shape in a direction; sideways distances count more. Initially the shape with the largest value.
function neighbour(picture: Picture, measure: Measure, from: Shape | null, dx: number, dy: number): Shape | null {
  const shapes = picture.shapes.filter(({ frame }) => !frame);
  const strength = ({ figures }: Shape) => (figures ? Math.abs(valueOf(figures, measure)) : -1);
  if (!from) return [...shapes].sort((a, b) => Number(!a.go) - Number(!b.go) || strength(b) - strength(a))[0] ?? null;
  const [x, y] = centre(from);
  let best: Shape | null = null, near = Infinity;
  for (const shape of shapes) {
    const [u, v] = centre(shape), along = (u - x) * dx + (v - y) * dy, aside = Math.abs((u - x) * dy) + Math.abs((v - y) * dx);
    if (shape.id === from.id || along < 1) continue;
    const far = along + 2.5 * aside;
    if (far < near) { best = shape; near = far; }
  }
  return best;
}

// The route of an operation's data: its wires and the parts on the way.
function paintRoute(c: CanvasRenderingContext2D, picture: Picture, route: string[], scale: number, left: number, top: number) {
  const wires = new Set(route.slice(1).map((node, i) => `${route[i]} → ${node}`));
  c.strokeStyle = c.fillStyle = theme().accent;
  for (const shape of picture.shapes) {
    if (shape.rect && partOf(shape.id)?.level !== 'sip' && route.some((node) => node === shape.id || isIn(node, shape.id))) {
      const [x, y, w, h] = shape.rect;
      c.lineWidth = 2;
      c.strokeRect(x * scale + left - 1.5, y * scale + top - 1.5, w * scale + 3, h * scale + 3);
    }
    if (!shape.line || !wires.has(shape.id)) continue;
    const [x0, y0, x1, y1] = shape.line.map((v, i) => v * scale + (i % 2 ? top : left));
    const angle = Math.atan2(y1 - y0, x1 - x0), size = 9;
    c.lineWidth = 4;
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.stroke();
    c.beginPath();
    c.moveTo(x1, y1);
    for (const side of [-0.5, 0.5]) c.lineTo(x1 - size * Math.cos(angle + side), y1 - size * Math.sin(angle + side));
    c.fill();
  }
}

function paint(c: CanvasRenderingContext2D, picture: Picture, measure: Measure, scale: number, left: number, top: number, hovered: Shape | null, marked: string, route: string[], plain: boolean) {
  const colours = theme(), dark = isDark(), most = largest(picture, measure);
  const font = Math.max(LEAST_FONT * sizes.scale, Math.min(MOST_FONT * sizes.scale, FONT * scale));
  const colourOf = measure === 'difference' ? changeColour : heatColour;
  c.textBaseline = 'middle';
  c.textAlign = 'center';
  c.font = `${font}px ${FAMILY}`;
  for (const shape of picture.shapes) {
    const value = shape.figures ? valueOf(shape.figures, measure) / most : null;
    const strong = shape === hovered || shape.id === marked;
    if (shape.line) {
      const [x0, y0, x1, y1] = shape.line.map((v, i) => v * scale + (i % 2 ? top : left));
      c.strokeStyle = value !== null ? colourOf(value, dark) : plain ? colours.dim : colours.line;
      c.lineWidth = (value === null ? 1 : 3 + 4 * Math.abs(value)) * Math.max(0.5, Math.min(1.4 * sizes.scale, scale)) + (strong ? 2 : 0);
      c.beginPath();
      c.moveTo(x0, y0);
      c.lineTo(x1, y1);
      c.stroke();
      if (strong) { c.strokeStyle = colours.mark; c.lineWidth = 1.5; c.stroke(); }
      continue;
    }
    const [x, y, w, h] = shape.rect!.map((v, i) => v * scale + (i === 0 ? left : i === 1 ? top : 0));
    if (!shape.frame) {
      c.fillStyle = value === null ? colours.surface : colourOf(value, dark);
      c.fillRect(x, y, w, h);
    }
    c.strokeStyle = strong ? colours.mark : colours.dim;
    c.globalAlpha = strong ? 1 : 0.45;
    c.lineWidth = strong ? 2 : 0.75;
    if (w > 4) c.strokeRect(x, y, w, h);
    c.globalAlpha = 1;
    if (!shape.label || c.measureText(shape.label).width > w + (shape.frame ? 60 : 6)) continue;
    if (shape.frame) {
      c.fillStyle = colours.dim;
      c.fillText(shape.label, x + w / 2, y + h + font * 0.75);
    } else {
      c.fillStyle = value === null ? colours.text : inkOn(Math.abs(value), dark);
      c.fillText(shape.label, x + w / 2, y + h / 2);
    }
  }
  if (route.length > 0) paintRoute(c, picture, route, scale, left, top);
}

export function MachineCanvas(props: { picture: Picture; measure: Measure; ns: number; marked: string; route?: string[]; click: (shape: Shape) => void; up?: () => void; says?: (shape: Shape) => string[] }) {
  const { picture, measure, ns, says } = props;
  const about = (shape: Shape): string[] => (says ? says(shape) : shape.figures ? figureLines(shape.figures, ns, measure) : shape.frame ? [] : ['not in use']);
  const canvas = useRef<HTMLCanvasElement>(null), box = useRef<HTMLDivElement>(null);
  const size = useSize(box);
  const [hover, setHover] = useState<{ shape: Shape; x: number; y: number; keys?: boolean } | null>(null);
  const margin = (sizes.phone ? MARGIN_PHONE : MARGIN) * sizes.scale;
  const view = useMemo(() => {
    const [x0, y0, x1, y1] = boundsOf(picture);
    const scale = Math.max(0.05, Math.min((size.width - 2 * margin) / (x1 - x0), (size.height - 2 * margin) / (y1 - y0), MOST_SCALE * sizes.scale));
    return { scale, left: (size.width - (x0 + x1) * scale) / 2, top: (size.height - (y0 + y1) * scale) / 2 };
  }, [picture, size, margin]);
  const shown = hover && (picture.shapes.find(({ id }) => id === hover.shape.id) ?? null);
  useEffect(() => {
    if (size.width === 0) return undefined;
    const frame = requestAnimationFrame(() => paint(prepare(canvas.current!, size.width, size.height), picture, measure, view.scale, view.left, view.top, shown, props.marked, props.route ?? [], !!says));
    return () => cancelAnimationFrame(frame);
  });
  const find = (event: MouseEvent) => shapeAt(picture, (event.offsetX - view.left) / view.scale, (event.offsetY - view.top) / view.scale, view.scale);
  const choose = (shape: Shape | null) => {
    if (!shape) return;
    const box = canvas.current!.getBoundingClientRect(), [x, y] = centre(shape);
    setHover({ shape, x: box.left + x * view.scale + view.left, y: box.top + y * view.scale + view.top, keys: true });
  };
  const keys: Record<string, () => void> = {
    ArrowLeft: () => choose(neighbour(picture, measure, shown, -1, 0)), ArrowRight: () => choose(neighbour(picture, measure, shown, 1, 0)),
    ArrowUp: () => choose(neighbour(picture, measure, shown, 0, -1)), ArrowDown: () => choose(neighbour(picture, measure, shown, 0, 1)),
    Enter: () => { if (shown) { setHover(null); props.click(shown); } }, Escape: () => { setHover(null); props.up?.(); },
  };
  return (
    <div class="machinebox" ref={box}>
      <canvas class="machineplot" ref={canvas} tabIndex={0} role="application" aria-label={shown ? `${shown.id}: ${about(shown).join(', ')}` : `The machine${says ? '' : ' as a heat map'}; the list beside it has the same ${says ? 'parts' : 'figures'}. Arrow keys choose a part, Enter looks into it, Escape goes back up.`}
        onKeyDown={(event) => { const action = keys[event.key]; if (action && !event.ctrlKey && !event.altKey && !event.metaKey) { event.preventDefault(); action(); } }} onBlur={() => setHover((now) => (now?.keys ? null : now))}
        onPointerMove={(event) => { const shape = find(event); canvas.current!.dataset.part = shape?.id ?? ''; setHover(shape ? { shape, x: event.clientX, y: event.clientY } : null); }}
        onPointerLeave={() => setHover(null)}
        onClick={(event) => { const shape = find(event); if (shape) { setHover(null); props.click(shape); } }} />
      {shown && (
        <Tooltip x={hover!.x} y={hover!.y}>
          <strong>{shown.id}</strong>
          {about(shown).map((line) => <span>{line}</span>)}
          {!says && shown.lines.map((line) => { const [what, share] = line.split('\t'); return <span class="dim">{share === undefined ? what : `${what} ${percent(Number(share))}`}</span>; })}
          <span class="dim">{hover?.keys ? 'Enter' : 'click'}{shown.go ? ': look into it' : says ? ': more of it' : ': its timeline'}</span>
        </Tooltip>
      )}
    </div>
  );
}
