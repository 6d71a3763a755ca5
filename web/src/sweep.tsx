// The folder of a sweep: figures, a point, and the table.
import { useEffect, useMemo } from 'preact/hooks';
import { hrefOf } from './address';
import { Command } from './command';
import { useAnswer } from './hooks';
import { Section } from './section';
import { SiteHead, type Site } from './site';
import { cellText, fetchPoint, fetchSweep, filterOf, isShown, sorted, valuesOf, type Cell, type Column, type Sweep, type SweepRow } from './sweep_data';
import { Heat, Scatter } from './sweep_figures';
import { Head, type Values } from './table_parts';
import { count } from './time';

const PAGE = 200;
const ROLE: Record<string, string> = { axis: 'axis', result: 'result', status: '', cause: '', pareto: '', point: '' };

export function SweepPage({ site, values }: { site: Site; values: URLSearchParams }) {
  const sweep = useAnswer('sweep', fetchSweep);
  useEffect(() => { document.title = `${site.name} · kernbench`; }, []);
  const found = sweep.value;
  const what = found ? [`sweep of ${count(found.rows.length)} points`, found.failed > 0 && `${count(found.failed)} failed`, found.missing > 0 && `${count(found.missing)} missing`, found.workload].filter(Boolean).join(', ') : '';
  return (
    <>
      <SiteHead site={site} what={what} />
      <main id="content" class="page" tabIndex={-1}>
        <h1 class="unseen">Sweep</h1>
        {sweep.failure && <p class="message bad" role="alert">{sweep.failure}</p>}
        {!found && !sweep.failure && <p class="message" role="status">Reading the table …</p>}
        {found?.state && <p class="message warn">{found.state}</p>}
        {found && found.rows.length > 0 && <Shown sweep={found} values={values} />}
      </main>
    </>
  );
}

export type To = (changed: Values) => string;

function Shown({ sweep, values }: { sweep: Sweep; values: URLSearchParams }) {
  const to: To = (changed) => hrefOf(null, 'sweep', { ...Object.fromEntries(values), ...changed });
  const filter = values.get('filter') ?? '';
  const rows = useMemo(() => sweep.rows.filter(filterOf(filter, sweep.columns)), [sweep, filter]);
  const marked = values.has('point') ? Number(values.get('point')) : null, row = sweep.rows.find(({ point }) => point === marked);
  // A point links to its run if that was kept.
  const ofPoint = (one: SweepRow) => (one.run ? hrefOf({ name: one.run, against: '' }, 'overview') : to({ point: one.point }));
  return (
    <>
      {row && <Point sweep={sweep} row={row} none={to({ point: undefined })} />}
      <Figures sweep={sweep} rows={rows} values={values} to={to} ofPoint={ofPoint} marked={marked} />
      <Table sweep={sweep} rows={rows} values={values} to={to} filter={filter} />
    </>
  );
}

function Point({ sweep, row, none }: { sweep: Sweep; row: SweepRow; none: string }) {
  const answer = useAnswer(`${row.point}`, (signal) => fetchPoint(row.point, signal)), known = answer.key === `${row.point}` ? answer.value : null;
  const list = (role: string) => sweep.columns.filter((column) => column.role === role).map((column) => (
    <tr><th scope="row" title={column.text}>{column.name}{column.goal && <span class="dim"> {column.goal}</span>}</th><td class="number">{cellText(row.cells[column.at])}</td></tr>
  ));
  const cause = sweep.columns.find(({ role }) => role === 'cause');
  return (
    <Section title={`Point ${row.point}`}>
      <div class="columns">
        <table class="facts"><caption>Axes</caption><tbody>{list('axis')}</tbody></table>
        <table class="facts"><caption>Results</caption><tbody>{list('result')}</tbody></table>
      </div>
      {row.status !== 'ok' && <p class={row.status === 'failed' ? 'bad' : 'warn'}>{row.status}{cause && row.cells[cause.at] ? `: ${cellText(row.cells[cause.at])}` : ''}</p>}
      {answer.failure && <p class="bad" role="alert">{answer.failure}</p>}
      {known?.none && <p class="hint">{known.none}</p>}
      {known?.command && <><p>The command of its run, in the folder of the sweep file:</p><Command text={known.command} open /></>}
      <p class="hint">
        {row.run ? <a href={hrefOf({ name: row.run, against: '' }, 'overview')}>Open its run</a> : 'Its run was not kept; with keep: runs in the sweep file a click opens it.'}{' '}
        <a href={none}>hide it</a>
      </p>
    </Section>
  );
}

const FIGURES: [string, string][] = [['front', 'Pareto front'], ['heat', 'heat map'], ['scatter', 'scatter']];

export function Choice({ label, name, chosen, columns, to, none }: { label: string; name: string; chosen: Column | null; columns: Column[]; to: To; none?: string }) {
  return (
    <label>{label} <select value={chosen?.name ?? ''} onChange={(event) => { location.hash = to({ [name]: (event.target as HTMLSelectElement).value }).slice(1); }}>
      {none && <option value="">{none}</option>}
      {columns.map((column) => <option value={column.name}>{column.name}</option>)}
    </select></label>
  );
}

// `noun` is what a row is, and `first` the columns at first.
export function Figures({ sweep, rows, values, to, ofPoint, marked, title = 'Figures', first, noun }: { sweep: Pick<Sweep, 'columns' | 'rows' | 'objectives'>; rows: SweepRow[]; values: URLSearchParams; to: To; ofPoint: (row: SweepRow) => string; marked: number | null; title?: string; first?: [x: string, y: string]; noun?: string }) {
  const axes = sweep.columns.filter(({ role }) => role === 'axis'), wide = axes.filter((column) => valuesOf(sweep.rows, column).length > 1);
  const usable = sweep.columns.filter((column) => column.role === 'axis' || (column.role === 'result' && column.numbers)), numbers = usable.filter((column) => column.role === 'result' && column.numbers);
  const hasFront = sweep.objectives.length >= 2, hasHeat = axes.length >= 2 && numbers.length > 0;
  const kinds = FIGURES.filter(([kind]) => (kind === 'front' ? hasFront : kind === 'heat' ? hasHeat : true));
  const kind = kinds.find(([one]) => one === values.get('figure'))?.[0] ?? kinds[0][0];
  const named = (key: string, among: Column[]) => among.find(({ name }) => name === values.get(key)) ?? (first && (key === 'x' || key === 'y') ? among.find(({ name }) => name === first[key === 'x' ? 0 : 1]) : undefined);
  const pick = (key: string, among: Column[], otherwise: Column | undefined) => named(key, among) ?? otherwise ?? among[0] ?? null;
  const choices = kind === 'front' ? sweep.objectives : kind === 'heat' ? axes : usable;
  const x = pick('x', choices, kind === 'front' ? sweep.objectives[0] : wide[0]);
  const others = choices.filter((column) => column !== x);
  const y = pick('y', others, kind === 'front' ? others[0] : kind === 'heat' ? wide.find((column) => column !== x) : sweep.objectives.find((column) => column !== x && numbers.includes(column)) ?? numbers.find((column) => column !== x));
  const value = pick('value', numbers, sweep.objectives.find((column) => numbers.includes(column)));
  const colour = named('colour', usable) ?? null;
  if (!x || !y) return null;
  const drawn = { rows, to: ofPoint, marked };
  const narrow = (a: Cell, b: Cell) => to({ filter: [x, y].map((column, i) => `${column.name}=${cellText(i === 0 ? a : b)}`).join(' ') });
  const hint = kind === 'front' ? `Points that no other one beats in ${sweep.objectives.length > 2 ? `all ${sweep.objectives.length} objectives` : 'both objectives'} are on the front; the others are pale.` : '';
  return (
    <Section title={title} hint={hint}>
      <div class="tools">
        {kinds.length > 1 && <span class="group" role="group" aria-label="Figure">{kinds.map(([one, label]) => <button type="button" aria-pressed={one === kind} onClick={() => { location.hash = to({ figure: one, x: undefined, y: undefined }).slice(1); }}>{label}</button>)}</span>}
        <Choice label="across" name="x" chosen={x} columns={choices} to={to} />
        <Choice label="up" name="y" chosen={y} columns={others} to={to} />
        {kind === 'heat' && <Choice label="colour" name="value" chosen={value} columns={numbers} to={to} />}
        {kind !== 'heat' && <Choice label="colour" name="colour" chosen={colour} columns={usable} to={to} none="none" />}
      </div>
      {kind === 'heat' && value ? <Heat {...drawn} x={x} y={y} value={value} narrow={narrow} /> : <Scatter {...drawn} x={x} y={y} colour={colour} front={kind === 'front'} noun={noun} />}
    </Section>
  );
}

// What the rows of a table are, and how it is sorted at first.
interface Kind { title: string; noun: [one: string, many: string]; page?: number; example?: string; sort?: string }
const POINTS: Kind = { title: 'Points', noun: ['point', 'points'] };

export function Table({ sweep, rows, values, to, filter, kind = POINTS }: { sweep: Pick<Sweep, 'columns' | 'rows'>; rows: SweepRow[]; values: URLSearchParams; to: To; filter: string; kind?: Kind }) {
  const columns = sweep.columns.filter(isShown), sort = columns.find(({ name }) => name === (values.get('sort') ?? kind.sort)) ?? columns[0], descending = (values.get('order') ?? (kind.sort ? 'desc' : '')) === 'desc';
  const ordered = useMemo(() => sorted(rows, sort, descending), [rows, sort, descending]);
  const page = kind.page ?? PAGE, shown = Math.max(page, Number(values.get('show')) || 0);
  const submit = (event: Event) => { event.preventDefault(); location.hash = to({ filter: String(new FormData(event.target as HTMLFormElement).get('filter') ?? ''), show: undefined }).slice(1); };
  const example = columns.find(({ role }) => role === 'axis');
  return (
    <Section title={kind.title}>
      <form class="tools" onSubmit={submit} key={filter}>
        <label>Filter <input name="filter" defaultValue={filter} placeholder={kind.example ?? (example ? `${example.name}=${cellText(valuesOf(sweep.rows, example)[0] ?? '')} ok` : 'ok')} spellcheck={false} /></label>
        <button type="submit">Filter</button>
        {filter && <a href={to({ filter: undefined })}>all {kind.noun[1]}</a>}
        <span class="dim right">{count(rows.length)} {kind.noun[rows.length === 1 ? 0 : 1]}</span>
      </form>
      <div class="scrollx">
        <table class="data points">
          <thead>
            {example && <tr class="roles">{columns.map((column) => <td class={column.numbers ? 'number dim' : 'dim'} title={column.text}>{column.goal ? `objective, ${column.goal}` : ROLE[column.role]}</td>)}</tr>}
            <tr>{columns.map((column) => <Head label={column.name} name={column.name} sort={sort.name} descending={descending} to={to} number={column.numbers} />)}</tr>
          </thead>
          <tbody>
            {ordered.slice(0, shown).map((row) => (
              <tr class={row.front ? 'onfront' : undefined}>
                {columns.map((column) => {
                  const text = column.role === 'pareto' ? (row.cells[column.at] === null ? '' : row.front ? 'yes' : 'no') : cellText(row.cells[column.at]);
                  if (column.role === 'point') return <th scope="row" class="number"><a href={to({ point: row.point })} aria-current={values.get('point') === String(row.point) ? 'true' : undefined}>{row.point}</a></th>;
                  return <td class={`${column.numbers ? 'number' : ''}${column.role === 'status' && row.status !== 'ok' ? ' bad' : ''}${column.role === 'cause' ? ' wrap' : ''}`}>{text}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {ordered.length > shown && <p class="pages"><a href={to({ show: shown + PAGE })}>{count(ordered.length - shown)} more</a></p>}
    </Section>
  );
}
