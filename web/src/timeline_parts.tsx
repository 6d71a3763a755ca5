// The parts of a timeline around its picture.
import { launchName, runs, type Launch, type Operation, type Row, type Rows, type Run, type Tile } from './api';
import { href } from './address';
import { isReport } from './answers';
import { operationColour } from './colours';
import { PlaceLink } from './kernel_parts';
import { chipOf, nodeOf, partOf, pathOf, type Part } from './nodes';
import { STATES } from './words';
import type { PlacedOps } from './picture';
import { isOpen, type Fold } from './rows';
import { OnlyServed, Swatch } from './section';
import { sizes } from './sizes';
import { duration, exact, percent } from './time';
import { Tooltip } from './tooltip';
import type { Hit, View } from './timeline_input';
import type { Links } from './timeline_links';
import { statesAt, type StateStrips } from './timeline_states';

const FOLDS: [string, Part['level']][] = [['SIPs', 'sip'], ['cubes', 'cube'], ['PEs', 'pe']];

export function Tools(props: { run: Run; rows: Rows; fold: Fold; setFold: (fold: Fold) => void; zoom: (factor: number) => void; all: () => void; toLaunch: (launch: Launch) => void; view: View; use: boolean; setUse: (use: boolean) => void }) {
  const { run, rows, fold, setFold, view } = props;
  const deepest = Math.max(...rows.rows.map((row) => row.depth));
  const depths = FOLDS.map(([label, level]) => ({ label, depth: rows.rows.find((row) => !row.component && partOf(row.name)?.level === level)?.depth }))
    .filter((f): f is { label: string; depth: number } => f.depth !== undefined);
  const choices = [...depths, { label: 'blocks', depth: deepest }];
  return (
    <div class="tools">
      <label>Launch{' '}
        <select onChange={(event) => { const launch = run.launches[Number((event.target as HTMLSelectElement).value)]; if (launch) props.toLaunch(launch); }}>
          <option value="">go to …</option>
          {run.launches.slice(0, 500).map((launch, i) => <option value={i}>{launchName(launch)}</option>)}
        </select>
      </label>
      <span class="group" role="group" aria-label="Rows">
        {choices.map(({ label, depth }) => (
          <button type="button" aria-pressed={fold.depth === depth && fold.changed.size === 0} onClick={() => setFold({ depth, changed: new Set() })}>{label}</button>
        ))}
      </span>
      <span class="group" role="group" aria-label="Rows of PEs, cubes and SIPs show">
        <button type="button" aria-pressed={!props.use} onClick={() => props.setUse(false)}>states</button>
        <button type="button" aria-pressed={props.use} onClick={() => props.setUse(true)}>use of blocks</button>
      </span>
      <span class="group" role="group" aria-label="Zoom">
        {!isReport && <button type="button" aria-label="Zoom in" onClick={() => props.zoom(1 / 2)}>+</button>}
        {!isReport && <button type="button" aria-label="Zoom out" onClick={() => props.zoom(2)}>−</button>}
        <button type="button" onClick={props.all}>whole run</button>
      </span>
      <span class="dim">{exact(view.t0)} + {duration(view.span)}</span>
      {isReport ? <OnlyServed what="Zooming needs" /> : <span class="dim right">wheel zooms, shift+wheel and drag move</span>}
    </div>
  );
}

export function Labels(props: { rows: Row[]; shown: number[]; first: number; fold: Fold; focus: number; toggle: (row: Row) => void; choose: (position: number) => void }) {
  return (
    <div class="labels">
      {props.shown.map((id, i) => {
        const row = props.rows[id], position = props.first + i, open = isOpen(row, props.fold);
        const style = (element: HTMLElement | null) => {
          if (!element) return;
          element.style.top = `${position * sizes.row}px`;
          element.style.paddingLeft = sizes.phone ? `${0.2 + 0.5 * row.depth}em` : `${0.6 + row.depth}em`;
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

export function RowTooltip({ hover, rows, tile, ops, strips }: { hover: { x: number; y: number; hit: Hit }; rows: Rows; tile: Tile; ops: PlacedOps | null; strips: StateStrips | null }) {
  const { hit } = hover, row = rows.rows[hit.row];
  const lines: string[] = [];
  if (hit.op !== null && ops && tile.ops) {
    lines.push(`${rows.operations[tile.ops.operation[hit.op]]?.name ?? '?'}  ${duration(ops.end[hit.op] - ops.start[hit.op])}`);
    lines.push(`from ${exact(tile.first + BigInt(ops.start[hit.op]))}`);
  } else if (strips?.at.has(hit.row)) {
    const found = statesAt(strips, hit.row, hit.time);
    lines.push(...found.slice(0, 5).map(({ label, share }) => `${label} ${percent(share)}`));
    if (found.length === 0) lines.push('no kernel');
  } else if (hit.column !== null) {
    const at = tile.rowIds.indexOf(hit.row);
    const cell = at * tile.columns + hit.column;
    if (at >= 0 && tile.dominant[cell] !== 0xffff) {
      lines.push(`${percent(tile.share[cell])} busy${row.members > 1 ? ` (mean of ${row.members} blocks)` : ''}, ${tile.count[cell]} operations begin`);
      lines.push(`mostly ${rows.operations[tile.dominant[cell]]?.name ?? '?'}, in ${duration(tile.width)}`);
    } else lines.push('idle');
  } else lines.push('idle');
  return (
    <Tooltip x={hover.x} y={hover.y}>
      <strong>{row.name}</strong>
      {lines.map((line) => <span>{line}</span>)}
      <span class="dim">at {exact(hit.time)}</span>
    </Tooltip>
  );
}

export function Legend({ rows, strips }: { rows: Rows; strips: StateStrips | null }) {
  const met = new Set([...(strips?.shares.values() ?? [])].flatMap((states) => [...states.keys()]));
  return (
    <p class="legend bottom">
      {met.size > 0 && <span class="dim">PEs:</span>}
      {STATES.filter(({ name }) => met.has(name)).map((state) => <span title={state.meaning}><Swatch colour={state.colour} /> {state.label}</span>)}
      {met.size > 0 && <span class="dim">Blocks:</span>}
      {rows.operations.map((operation) => <span><Swatch colour={operationColour(operation)} /> {operation.name.replace(/^TileToken\//, '')}</span>)}
      <span class="dim">The stronger the colour, the larger the share of time in use.</span>
    </p>
  );
}

// Link to the page Machine with the route of the data.
function routeOf(operation: Operation, { message }: Links): string | null {
  const span = { t0: BigInt(operation.start_fs), t1: BigInt(operation.end_fs) };
  const edge = span.t1 - span.t0 + 1000000n, window = { t0: span.t0 > edge ? span.t0 - edge : 0n, t1: span.t1 + edge };
  if (message?.sender && message.receiver) {
    const to = pathOf(chipOf(message.receiver));
    const same = pathOf(chipOf(message.sender)).filter((part) => to.includes(part)).pop();
    return href('machine', { ...window, at: same?.id ?? '', from: message.sender, to: message.receiver });
  }
  const moves = /dma_?(read|write)|host_(read|write)/i.test(operation.name);
  return moves ? href('machine', { ...window, at: nodeOf(operation.component)?.kind === 'pe_dma' ? chipOf(operation.component) : '', op: operation.seq }) : null;
}

export function Details({ close, run, links }: { close: () => void; run: Run; links: Links }) {
  const { operation, failure, message } = links;
  const route = operation && routeOf(operation, links);
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
            {launch && <><dt>launch</dt><dd>{`#${launch.id} ${runs(launch)}`}{launch.start_fs && `, ${duration(Number(start - BigInt(launch.start_fs)))} after its start`}</dd></>}
            {operation.place && <><dt>line</dt><dd><PlaceLink op={operation} run={run} />{operation.place[4] && `, in ${operation.place[4]}`}</dd></>}
            <dt>number</dt><dd>{operation.seq}</dd>
            {message && <><dt>message</dt><dd>{message.sender ?? '?'} → {message.receiver ?? '?'}{message.arrived !== null && message.sent !== null && `, ${duration(message.arrived - message.sent)} on the way`}{message.arrived !== null && message.awaited !== null && message.arrived > message.awaited && `, waited for ${duration(message.arrived - message.awaited)}`}</dd></>}
            {links.tile > 1 && <><dt>tile</dt><dd>{links.tile} operations, joined by arrows</dd></>}
            {parameters(operation.params).map(([key, value]) => <><dt>{key}</dt><dd>{value}</dd></>)}
          </dl>
          {route && run.machine && <p><a href={route}>Its route in the machine</a></p>}
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
