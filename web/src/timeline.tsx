// Rows over time: zoom and pan by wheel, drag and keyboard; the server gives what one screen can show.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { fetchOperation, fetchTile, type Launch, type Operation, type Row, type Rows, type Run, type State, type Tile } from './api';
import { href, replaceAddress } from './address';
import { operationColour } from './colours';
import { longestLaunch, Swatch } from './overview';
import { paintGrid, paintRuler, Painter, placeOps, prepare, ROW_HEIGHT, RULER_HEIGHT, theme, type Mark, type PlacedOps } from './picture';
import { firstFold, isOpen, shownRows, toggled, type Fold } from './rows';
import { duration, exact, percent } from './time';

const LEAST_SPAN = 1000;
const MOST_BUCKETS = 700000;  // of a picture; more take longer to paint than a frame lasts
const MARGIN = 0.25;  // of the window, to each side, that is asked for beyond what is seen
const DETAIL_STEP = 1.5;

interface View { t0: bigint; span: number }

export function Timeline(props: { run: Run; rows: Rows | null; state: State | null; values: URLSearchParams }) {
  const { run, rows, state } = props;
  if (!run.has_operations) {
    return (
      <div class="message">
        <p>This run has no operations, so there is no timeline.</p>
        <p>Run it again with <code>--record DIR</code> in place of <code>--out DIR</code>, then <code>kernbench web DIR</code>.</p>
      </div>
    );
  }
  if (!rows || !state?.ready) {
    return (
      <div class="message" role="status">
        <p>Reading the operations … {percent(state?.progress ?? 0)}</p>
        <progress max={1} value={state?.progress ?? 0} />
      </div>
    );
  }
  if (!state.operations) return <p class="message">No operation was recorded.</p>;
  return <Rendered run={run} rows={rows} state={state} values={props.values} />;
}

function launchView(launch: Launch | undefined, whole: View): View {
  if (!launch?.submit_fs || !launch.completed_fs) return whole;
  const begin = BigInt(launch.submit_fs), span = Number(BigInt(launch.completed_fs) - begin);
  if (span <= 0) return whole;
  const edge = BigInt(Math.round(span * 0.03));
  return { t0: begin > edge ? begin - edge : 0n, span: span + 2 * Number(edge) };
}

function wholeView(state: State): View {
  const begin = BigInt(state.begin_fs ?? '0'), span = Math.max(LEAST_SPAN, Number(BigInt(state.end_fs ?? '0') - begin));
  const edge = BigInt(Math.round(span * 0.01));
  return { t0: begin > edge ? begin - edge : 0n, span: span + 2 * Number(edge) };
}

const wholeNumber = (text: string | null): bigint | null => (text && /^\d{1,19}$/.test(text) ? BigInt(text) : null);

function viewOf(values: URLSearchParams, run: Run, whole: View): View {
  const t0 = wholeNumber(values.get('t0')), t1 = wholeNumber(values.get('t1'));
  if (t0 !== null && t1 !== null && t1 > t0) return { t0, span: Math.max(LEAST_SPAN, Number(t1 - t0)) };
  const launch = run.launches.find(({ id }) => id !== undefined && String(id) === values.get('launch'));
  return launchView(launch ?? longestLaunch(run), whole);
}

function foldOf(values: URLSearchParams, rows: Rows): Fold {
  const depth = values.get('depth');
  if (!depth || !/^\d$/.test(depth)) return firstFold(rows);
  return { depth: Number(depth), changed: new Set((values.get('rows') ?? '').split(',').filter(Boolean)) };
}

interface Hit { row: number; op: number | null; column: number | null; time: bigint }

function Rendered({ run, rows, state, values }: { run: Run; rows: Rows; state: State; values: URLSearchParams }) {
  const whole = useMemo(() => wholeView(state), [state]);
  const [view, setView] = useState<View>(() => viewOf(values, run, whole));
  const [fold, setFold] = useState<Fold>(() => foldOf(values, rows));
  const [selected, setSelected] = useState<number | null>(() => (values.get('op') ? Number(values.get('op')) : null));
  const [focus, setFocus] = useState(0);  // position among the shown rows
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [scroll, setScroll] = useState(0);
  const [tile, setTile] = useState<{ tile: Tile; ops: PlacedOps | null } | null>(null);
  const [failure, setFailure] = useState('');
  const [hover, setHover] = useState<{ x: number; y: number; hit: Hit } | null>(null);
  const [, repaint] = useState(0);
  const scroller = useRef<HTMLDivElement>(null), area = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLCanvasElement>(null), ruler = useRef<HTMLCanvasElement>(null);
  const painter = useMemo(() => new Painter(rows), [rows]);
  const shown = useMemo(() => shownRows(rows, fold), [rows, fold]);
  const marks = useMemo<Mark[]>(() => run.launches.filter((l) => l.start_fs && l.completed_fs)
    .map((l) => ({ begin: BigInt(l.start_fs!), end: BigInt(l.completed_fs!), text: `${l.kernel}` })), [run]);

  const firstShown = Math.max(0, Math.floor(scroll / ROW_HEIGHT));
  const inSight = shown.slice(firstShown, firstShown + Math.ceil(size.height / ROW_HEIGHT) + 1);
  const top = firstShown * ROW_HEIGHT - scroll;

  // A link into the page: a launch, an operation, a window.
  const firstValues = useRef(values);
  useEffect(() => {
    if (firstValues.current === values) return;
    firstValues.current = values;
    setView(viewOf(values, run, whole));
    setFold(foldOf(values, rows));
    setSelected(values.get('op') ? Number(values.get('op')) : null);
  }, [values]);

  useEffect(() => {
    const timer = setTimeout(() => replaceAddress('timeline', {
      t0: view.t0, t1: view.t0 + BigInt(Math.round(view.span)), depth: fold.depth,
      rows: [...fold.changed].join(','), op: selected ?? undefined,
    }), 150);
    return () => clearTimeout(timer);
  }, [view, fold, selected]);

  useLayoutEffect(() => {
    const measure = () => setSize({ width: area.current?.clientWidth ?? 0, height: scroller.current?.clientHeight ?? 0 });
    const observer = new ResizeObserver(measure);
    observer.observe(scroller.current!);
    observer.observe(area.current!);
    measure();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const changed = () => repaint((n) => n + 1);
    scheme.addEventListener('change', changed);
    return () => { observer.disconnect(); scheme.removeEventListener('change', changed); };
  }, []);

  useTiles(view, inSight, size.width, setTile, setFailure);

  useLayoutEffect(() => {
    if (size.width === 0) return;
    const frame = requestAnimationFrame(() => {
      const colours = theme();
      const window = { ...view, width: size.width };
      const c = prepare(plot.current!, size.width, size.height);
      paintGrid(c, window, 0n, size.height, colours);
      const line = focus - firstShown;
      c.fillStyle = colours.line;
      if (line >= 0 && line < inSight.length) c.fillRect(0, top + line * ROW_HEIGHT, size.width, ROW_HEIGHT);
      painter.paint(c, window, tile?.tile ?? null, tile?.ops ?? null, inSight, top, (row) => rows.rows[row].component, selected, colours);
      paintRuler(prepare(ruler.current!, size.width, RULER_HEIGHT), window, 0n, marks, colours);
    });
    return () => cancelAnimationFrame(frame);
  });

  const limited = useCallback((t0: bigint, span: number): View => {
    const most = whole.span * 1.2, kept = Math.min(Math.max(span, LEAST_SPAN), most);
    const low = whole.t0 - BigInt(Math.round(kept * 0.9)), high = whole.t0 + BigInt(Math.round(whole.span - kept * 0.1));
    const begin = t0 < low ? low : t0 > high ? high : t0;
    return { t0: begin < 0n ? 0n : begin, span: kept };
  }, [whole]);
  const zoom = useCallback((factor: number, at = 0.5) => setView((v) => {
    const span = Math.min(Math.max(v.span * factor, LEAST_SPAN), whole.span * 1.2);
    return limited(v.t0 + BigInt(Math.round((v.span - span) * at)), span);
  }), [limited, whole]);
  const pan = useCallback((share: number) => setView((v) => limited(v.t0 + BigInt(Math.round(v.span * share)), v.span)), [limited]);

  const hitAt = (x: number, y: number): Hit | null => {
    const row = shown[Math.floor((y + scroll) / ROW_HEIGHT)];
    if (row === undefined) return null;
    const time = view.t0 + BigInt(Math.round((x / size.width) * view.span));
    if (!tile) return { row, op: null, column: null, time };
    const offset = Number(time - tile.tile.first), near = (2 / size.width) * view.span;
    if (tile.ops && rows.rows[row].component) {
      const lanes = tile.ops.lanes.get(row) ?? 1;
      const lane = Math.floor((((y + scroll) % ROW_HEIGHT) / ROW_HEIGHT) * lanes);
      const found = (tile.ops.byRow.get(row) ?? []).filter((i) => tile.ops!.start[i] - near <= offset && offset <= tile.ops!.end[i] + near);
      const best = found.find((i) => tile.ops!.lane[i] === lane && tile.ops!.start[i] <= offset && offset < tile.ops!.end[i]) ?? found[0];
      return { row, op: best ?? null, column: null, time };
    }
    const column = Math.floor(offset / tile.tile.width);
    return { row, op: null, column: column >= 0 && column < tile.tile.columns ? column : null, time };
  };

  usePlotPointer({ plot, scroller, size, zoom, pan, setHover, hitAt,
    clicked: (hit) => {
      setFocus(shown.indexOf(hit.row));
      if (hit.op !== null && tile?.tile.ops) setSelected(tile.tile.ops.seq[hit.op]);
    } });

  const step = (direction: number) => {
    const row = shown[focus], ops = tile?.tile.ops;
    const list = row === undefined ? [] : tile?.ops?.byRow.get(row) ?? [];
    if (!ops || list.length === 0) return;
    const from = Number(view.t0 - tile!.tile.first);
    const at = list.findIndex((i) => ops.seq[i] === selected);
    const next = at >= 0 ? list[at + direction] : direction > 0 ? list.find((i) => tile!.ops!.start[i] >= from) : [...list].reverse().find((i) => tile!.ops!.start[i] <= from + view.span);
    if (next === undefined) return;
    setSelected(ops.seq[next]);
    const begin = tile!.tile.first + BigInt(Math.round(tile!.ops!.start[next]));
    if (begin < view.t0 || Number(begin - view.t0) > view.span) setView(limited(begin - BigInt(Math.round(view.span / 4)), view.span));
  };
  const moveFocus = (to: number) => {
    const next = Math.min(Math.max(0, to), shown.length - 1);
    setFocus(next);
    const box = scroller.current!;
    if (next * ROW_HEIGHT < box.scrollTop) box.scrollTop = next * ROW_HEIGHT;
    if ((next + 1) * ROW_HEIGHT > box.scrollTop + box.clientHeight) box.scrollTop = (next + 1) * ROW_HEIGHT - box.clientHeight;
  };
  const keys: Record<string, () => void> = {
    ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), a: () => pan(-0.15), d: () => pan(0.15),
    ArrowUp: () => moveFocus(focus - 1), ArrowDown: () => moveFocus(focus + 1),
    '+': () => zoom(1 / DETAIL_STEP), '=': () => zoom(1 / DETAIL_STEP), w: () => zoom(1 / DETAIL_STEP),
    '-': () => zoom(DETAIL_STEP), s: () => zoom(DETAIL_STEP), Home: () => setView(whole),
    PageUp: () => moveFocus(focus - 20), PageDown: () => moveFocus(focus + 20),
    Enter: () => { const row = rows.rows[shown[focus]]; if (row && !row.component) setFold(toggled(row, fold)); },
    '.': () => step(1), ',': () => step(-1), Escape: () => setSelected(null),
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const action = keys[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  };

  return (
    <div class="timeline">
      <h1 class="unseen">Timeline</h1>
      <Tools run={run} rows={rows} fold={fold} setFold={setFold} zoom={zoom} all={() => setView(whole)}
        toLaunch={(launch) => setView(launchView(launch, whole))} view={view} />
      {failure && <p class="message bad" role="alert">{failure}</p>}
      <div class="board">
        <div class="corner">{shown.length} rows</div>
        <canvas class="ruler" ref={ruler} aria-hidden="true" />
        <div class="scroller" ref={scroller} onScroll={(event) => setScroll((event.target as HTMLElement).scrollTop)}>
          <div class="sizer" ref={(element) => { if (element) element.style.height = `${shown.length * ROW_HEIGHT}px`; }}>
            <Labels rows={rows.rows} shown={inSight} first={firstShown} fold={fold} focus={focus}
              toggle={(row) => setFold(toggled(row, fold))} choose={setFocus} />
            <div class="area" ref={area}>
              <canvas class="plot" ref={plot} tabIndex={0} role="application" onKeyDown={onKeyDown}
                aria-label="Operations over time. Left and right move, plus and minus zoom, up and down choose a row, Enter folds it, full stop and comma go from operation to operation." />
            </div>
          </div>
        </div>
        {hover && tile && <Tooltip hover={hover} rows={rows} tile={tile.tile} ops={tile.ops} />}
      </div>
      <Legend rows={rows} />
      {selected !== null && <Details seq={selected} close={() => setSelected(null)} run={run} />}
    </div>
  );
}

// Asks for what is seen and some more. While an answer is on its way, only the newest wish waits.
function useTiles(view: View, inSight: number[], width: number, take: (tile: { tile: Tile; ops: PlacedOps | null }) => void, fail: (text: string) => void) {
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

function usePlotPointer(pointer: Pointer) {
  const now = useRef(pointer);
  now.current = pointer;
  useEffect(() => {
    const canvas = pointer.plot.current!;
    let drag: { x: number; y: number; moved: boolean } | null = null;
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
      drag = { ...place(event), moved: false };
    };
    const move = (event: PointerEvent) => {
      const at = place(event);
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
    const up = (event: PointerEvent) => {
      const at = place(event);
      const hit = drag && !drag.moved ? now.current.hitAt(at.x, at.y) : null;
      drag = null;
      if (hit) now.current.clicked(hit);
    };
    const twice = (event: MouseEvent) => now.current.zoom(1 / 4, place(event).x / now.current.size.width);
    const leave = () => now.current.setHover(null);
    canvas.addEventListener('wheel', wheel, { passive: false });
    canvas.addEventListener('pointerdown', down);
    canvas.addEventListener('pointermove', move);
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointerleave', leave);
    canvas.addEventListener('dblclick', twice);
    return () => {
      canvas.removeEventListener('wheel', wheel);
      canvas.removeEventListener('pointerdown', down);
      canvas.removeEventListener('pointermove', move);
      canvas.removeEventListener('pointerup', up);
      canvas.removeEventListener('pointerleave', leave);
      canvas.removeEventListener('dblclick', twice);
    };
  }, []);
}

const FOLDS: [string, RegExp][] = [['SIPs', /^sip\d+$/], ['cubes', /\.cube\d+$/], ['PEs', /\.pe\d+$/]];

function Tools(props: { run: Run; rows: Rows; fold: Fold; setFold: (fold: Fold) => void; zoom: (factor: number) => void; all: () => void; toLaunch: (launch: Launch) => void; view: View }) {
  const { run, rows, fold, setFold, view } = props;
  const deepest = Math.max(...rows.rows.map((row) => row.depth));
  const depths = FOLDS.map(([label, pattern]) => ({ label, depth: rows.rows.find((row) => pattern.test(row.name))?.depth }))
    .filter((f): f is { label: string; depth: number } => f.depth !== undefined);
  const choices = [...depths, { label: 'blocks', depth: deepest }];
  return (
    <div class="tools">
      <label>Launch{' '}
        <select onChange={(event) => { const launch = run.launches[Number((event.target as HTMLSelectElement).value)]; if (launch) props.toLaunch(launch); }}>
          <option value="">go to …</option>
          {run.launches.slice(0, 500).map((launch, i) => <option value={i}>{`#${launch.id} ${launch.kernel} sip${launch.sip}`}</option>)}
        </select>
      </label>
      <span class="group" role="group" aria-label="Rows">
        {choices.map(({ label, depth }) => (
          <button type="button" aria-pressed={fold.depth === depth && fold.changed.size === 0} onClick={() => setFold({ depth, changed: new Set() })}>{label}</button>
        ))}
      </span>
      <span class="group" role="group" aria-label="Zoom">
        <button type="button" aria-label="Zoom in" onClick={() => props.zoom(1 / 2)}>+</button>
        <button type="button" aria-label="Zoom out" onClick={() => props.zoom(2)}>−</button>
        <button type="button" onClick={props.all}>whole run</button>
      </span>
      <span class="dim">{exact(view.t0)} + {duration(view.span)}</span>
      <span class="dim right">wheel zooms, shift+wheel and drag move</span>
    </div>
  );
}

function Labels(props: { rows: Row[]; shown: number[]; first: number; fold: Fold; focus: number; toggle: (row: Row) => void; choose: (position: number) => void }) {
  return (
    <div class="labels">
      {props.shown.map((id, i) => {
        const row = props.rows[id], position = props.first + i, open = isOpen(row, props.fold);
        const style = (element: HTMLElement | null) => {
          if (!element) return;
          element.style.top = `${position * ROW_HEIGHT}px`;
          element.style.paddingLeft = `${0.6 + row.depth}em`;
        };
        return (
          <div key={id} class={position === props.focus ? 'label focus' : 'label'} ref={style} title={row.name} onClick={() => props.choose(position)}>
            {row.component ? <span class="leaf" /> : (
              <button type="button" aria-expanded={open} aria-label={`${open ? 'Fold' : 'Unfold'} ${row.name}`} onClick={() => props.toggle(row)}>{open ? '▾' : '▸'}</button>
            )}
            <span class="text">{row.label}</span>
            {!row.component && <span class="dim">{row.members}</span>}
          </div>
        );
      })}
    </div>
  );
}

function Tooltip({ hover, rows, tile, ops }: { hover: { x: number; y: number; hit: Hit }; rows: Rows; tile: Tile; ops: PlacedOps | null }) {
  const { hit } = hover, row = rows.rows[hit.row];
  const place = (element: HTMLElement | null) => {
    if (!element) return;
    element.style.left = `${Math.min(hover.x + 14, innerWidth - element.offsetWidth - 8)}px`;
    element.style.top = `${hover.y + 18 + element.offsetHeight > innerHeight ? hover.y - element.offsetHeight - 10 : hover.y + 18}px`;
  };
  const lines: string[] = [];
  if (hit.op !== null && ops && tile.ops) {
    lines.push(`${rows.operations[tile.ops.operation[hit.op]]?.name ?? '?'}  ${duration(ops.end[hit.op] - ops.start[hit.op])}`);
    lines.push(`from ${exact(tile.first + BigInt(ops.start[hit.op]))}`);
  } else if (hit.column !== null) {
    const at = tile.rowIds.indexOf(hit.row);
    const cell = at * tile.columns + hit.column;
    if (at >= 0 && tile.dominant[cell] !== 0xffff) {
      lines.push(`${percent(tile.share[cell])} busy${row.members > 1 ? ` (mean of ${row.members} blocks)` : ''}, ${tile.count[cell]} operations begin`);
      lines.push(`mostly ${rows.operations[tile.dominant[cell]]?.name ?? '?'}, in ${duration(tile.width)}`);
    } else lines.push('idle');
  } else lines.push('idle');
  return (
    <div class="tooltip" ref={place} role="status">
      <strong>{row.name}</strong>
      {lines.map((line) => <span>{line}</span>)}
      <span class="dim">at {exact(hit.time)}</span>
    </div>
  );
}

function Legend({ rows }: { rows: Rows }) {
  return (
    <p class="legend bottom">
      {rows.operations.map(({ name, kind }) => <span><Swatch colour={operationColour(name, kind)} /> {name.replace(/^TileToken\//, '')}</span>)}
      <span class="dim">The stronger the colour, the larger the share of time in use.</span>
    </p>
  );
}

function Details({ seq, close, run }: { seq: number; close: () => void; run: Run }) {
  const [operation, setOperation] = useState<Operation | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    const ended = new AbortController();
    fetchOperation(seq, ended.signal).then((found) => { setOperation(found); setFailure(''); })
      .catch((error) => { if (!ended.signal.aborted) setFailure(error.message); });
    return () => ended.abort();
  }, [seq]);
  const start = operation ? BigInt(operation.start_fs) : 0n, end = operation ? BigInt(operation.end_fs) : 0n;
  const launch = operation && run.launches.find((l) => l.submit_fs && l.completed_fs && BigInt(l.submit_fs) <= start && end <= BigInt(l.completed_fs));
  return (
    <aside class="details" aria-label="Operation">
      <button type="button" class="close" aria-label="Close" onClick={close}>×</button>
      {failure && <p class="bad" role="alert">{failure}</p>}
      {operation && (
        <>
          <h2>{operation.name}</h2>
          <dl>
            <dt>block</dt><dd>{operation.component}</dd>
            <dt>kind</dt><dd>{operation.kind}</dd>
            <dt>begins</dt><dd>{exact(start)}</dd>
            <dt>ends</dt><dd>{exact(end)}</dd>
            <dt>takes</dt><dd>{exact(end - start)}</dd>
            {launch && <><dt>launch</dt><dd>{`#${launch.id} ${launch.kernel}`}{launch.start_fs && `, ${duration(Number(start - BigInt(launch.start_fs)))} after its start`}</dd></>}
            <dt>number</dt><dd>{operation.seq}</dd>
            {parameters(operation.params).map(([key, value]) => <><dt>{key}</dt><dd>{value}</dd></>)}
          </dl>
          <p><a href={href('tables', { component: operation.component, name: operation.name, sort: 'duration', order: 'desc' })}>Others like it</a></p>
        </>
      )}
    </aside>
  );
}

function parameters(text: string | undefined): [string, string][] {
  if (!text) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return [['parameters', text]];
    return Object.entries(value).map(([key, entry]) => [key, typeof entry === 'string' ? entry : JSON.stringify(entry)]);
  } catch {
    return [['parameters', text]];
  }
}
