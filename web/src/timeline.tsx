// Rows over time, with zoom and pan by wheel, drag and keyboard; the server sends only the visible detail.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { runs, type Launch, type Rows, type Run, type State, type Tile } from './api';
import { replaceAddress } from './address';
import { isReport } from './answers';
import { longestLaunch } from './overview';
import { paintGrid, paintRuler, Painter, prepare, theme, type Mark, type PlacedOps } from './picture';
import { firstFold, shownRows, toggled, type Fold } from './rows';
import { sizes } from './sizes';
import { percent } from './time';
import { paintLinks, useLinks } from './timeline_links';
import { drawStates, useStates, type StateStrips } from './timeline_states';
import { usePlotPointer, useTiles, type Hit, type View } from './timeline_input';
import { Details, Labels, Legend, RowTooltip, Tools } from './timeline_parts';

const LEAST_SPAN = 1000;
const DETAIL_STEP = 1.5;

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

function Rendered({ run, rows, state, values }: { run: Run; rows: Rows; state: State; values: URLSearchParams }) {
  const whole = useMemo(() => wholeView(state), [state]);
  const [view, setView] = useState<View>(() => viewOf(values, run, whole));
  const [fold, setFold] = useState<Fold>(() => foldOf(values, rows));
  const [selected, setSelected] = useState<number | null>(() => (values.get('op') ? Number(values.get('op')) : null));
  const [focus, setFocus] = useState(0);  // index in the visible rows
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [scroll, setScroll] = useState(0);
  const [tile, setTile] = useState<{ tile: Tile; ops: PlacedOps | null } | null>(null);
  const [strips, setStrips] = useState<StateStrips | null>(null);
  const [use, setUse] = useState(values.get('show') === 'use');
  const [failure, setFailure] = useState('');
  const [hover, setHover] = useState<{ x: number; y: number; hit: Hit } | null>(null);
  const [, repaint] = useState(0);
  const scroller = useRef<HTMLDivElement>(null), area = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLCanvasElement>(null), ruler = useRef<HTMLCanvasElement>(null);
  const painter = useMemo(() => new Painter(rows), [rows]);
  const shown = useMemo(() => shownRows(rows, fold), [rows, fold]);
  const marks = useMemo<Mark[]>(() => run.launches.filter((l) => l.start_fs && l.completed_fs)
    .map((l) => ({ begin: BigInt(l.start_fs!), end: BigInt(l.completed_fs!), text: runs(l) })), [run]);

  const firstShown = Math.max(0, Math.floor(scroll / sizes.row));
  const inSight = shown.slice(firstShown, firstShown + Math.ceil(size.height / sizes.row) + 1);
  const top = firstShown * sizes.row - scroll;

  // Follows a link to a launch, an operation or a window.
  const firstValues = useRef(values), wanted = useRef(values.get('row'));
  useEffect(() => {
    if (firstValues.current === values) return;
    firstValues.current = values;
    setView(viewOf(values, run, whole));
    setFold(foldOf(values, rows));
    setSelected(values.get('op') ? Number(values.get('op')) : null);
    setUse(values.get('show') === 'use');
    wanted.current = values.get('row');
  }, [values]);

  useEffect(() => {
    const timer = setTimeout(() => replaceAddress(values, 'timeline', {
      t0: view.t0, t1: view.t0 + BigInt(Math.round(view.span)), depth: fold.depth,
      rows: [...fold.changed].join(','), op: selected ?? undefined, show: use ? 'use' : undefined,
    }), 150);
    return () => clearTimeout(timer);
  }, [values, view, fold, selected, use]);

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
  useStates(rows, view, use ? [] : inSight, size.width, setStrips);
  const chosen = useLinks(run, selected);
  const states = !use && (strips?.at.size ?? 0) > 0;

  useLayoutEffect(() => {
    if (size.width === 0) return;
    const frame = requestAnimationFrame(() => {
      const colours = theme();
      const window = { ...view, width: size.width };
      const c = prepare(plot.current!, size.width, size.height);
      paintGrid(c, window, 0n, size.height, colours);
      const line = focus - firstShown;
      c.fillStyle = colours.line;
      if (line >= 0 && line < inSight.length) c.fillRect(0, top + line * sizes.row, size.width, sizes.row);
      painter.paint(c, window, tile?.tile ?? null, tile?.ops ?? null, inSight, top, (row) => rows.rows[row].component, selected, colours,
        states ? { has: (row) => strips!.at.has(row), draw: (row, y, height) => drawStates(c, window, strips!, row, y, height) } : null);
      paintLinks(c, window, chosen.links, rows, shown, firstShown, top, colours);
      paintRuler(prepare(ruler.current!, size.width, sizes.ruler), window, 0n, marks, colours);
    });
    return () => cancelAnimationFrame(frame);
  });

  const limited = useCallback((t0: bigint, span: number): View => {
    const most = whole.span * 1.2, kept = Math.min(Math.max(span, LEAST_SPAN), most);
    const low = whole.t0 - BigInt(Math.round(kept * 0.9)), high = whole.t0 + BigInt(Math.round(whole.span - kept * 0.1));
    const begin = t0 < low ? low : t0 > high ? high : t0;
    return { t0: begin < 0n ? 0n : begin, span: kept };
  }, [whole]);
  // A report has one fixed picture of each window.
  const zoom = useCallback((factor: number, at = 0.5) => !isReport && setView((v) => {
    const span = Math.min(Math.max(v.span * factor, LEAST_SPAN), whole.span * 1.2);
    return limited(v.t0 + BigInt(Math.round((v.span - span) * at)), span);
  }), [limited, whole]);
  const pan = useCallback((share: number) => !isReport && setView((v) => limited(v.t0 + BigInt(Math.round(v.span * share)), v.span)), [limited]);

  const hitAt = (x: number, y: number): Hit | null => {
    const row = shown[Math.floor((y + scroll) / sizes.row)];
    if (row === undefined) return null;
    const time = view.t0 + BigInt(Math.round((x / size.width) * view.span));
    if (!tile) return { row, op: null, column: null, time };
    const offset = Number(time - tile.tile.first), near = (2 / size.width) * view.span;
    if (tile.ops && rows.rows[row].component) {
      const lanes = tile.ops.lanes.get(row) ?? 1;
      const lane = Math.floor((((y + scroll) % sizes.row) / sizes.row) * lanes);
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
    if (next * sizes.row < box.scrollTop) box.scrollTop = next * sizes.row;
    if ((next + 1) * sizes.row > box.scrollTop + box.clientHeight) box.scrollTop = (next + 1) * sizes.row - box.clientHeight;
  };
  useEffect(() => {
    const position = shown.findIndex((row) => rows.rows[row].name === wanted.current);
    if (position < 0 || size.height === 0) return;
    wanted.current = null;
    setFocus(position);
    scroller.current!.scrollTop = Math.max(0, position * sizes.row - size.height / 3);
  });
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
        toLaunch={(launch) => setView(launchView(launch, whole))} view={view} use={use} setUse={setUse} />
      {failure && <p class="message bad" role="alert">{failure}</p>}
      <div class="board">
        <div class="corner">{shown.length} rows</div>
        <canvas class="ruler" ref={ruler} aria-hidden="true" />
        <div class="scroller" ref={scroller} onScroll={(event) => setScroll((event.target as HTMLElement).scrollTop)}>
          <div class="sizer" ref={(element) => { if (element) element.style.height = `${shown.length * sizes.row}px`; }}>
            <Labels rows={rows.rows} shown={inSight} first={firstShown} fold={fold} focus={focus}
              toggle={(row) => setFold(toggled(row, fold))} choose={setFocus} />
            <div class="area" ref={area}>
              <canvas class="plot" ref={plot} tabIndex={0} role="application" onKeyDown={onKeyDown} data-arrows={chosen.links.length} data-states={states ? strips!.at.size : 0}
                aria-label="Operations over time. Left and right move, plus and minus zoom, up and down choose a row, Enter folds it, full stop and comma go from operation to operation." />
            </div>
          </div>
        </div>
        {hover && tile && <RowTooltip hover={hover} rows={rows} tile={tile.tile} ops={tile.ops} strips={states ? strips : null} />}
      </div>
      <Legend rows={rows} strips={states ? strips : null} />
      {selected !== null && <Details links={chosen} close={() => setSelected(null)} run={run} />}
    </div>
  );
}
