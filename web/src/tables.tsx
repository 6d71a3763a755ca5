// Operations and launches as tables. The server sorts, filters and pages.
import { useEffect, useState } from 'preact/hooks';
import { runs, fetchOperations, type Launch, type Operation, type Run } from './api';
import { aboutRun, href } from './address';
import { isReport } from './answers';
import { PlaceLink } from './kernel_parts';
import { boundedBy, total } from './overview';
import { Links, Pes } from './resource_tables';
import { OnlyServed } from './section';
import { Head, PAGE, type Values } from './table_parts';
import { count, duration, exact } from './time';

const TABLES: [string, string][] = [['operations', 'Operations'], ['launches', 'Launches'], ['links', 'Wires'], ['pes', 'PEs']];

export function Tables({ run, values }: { run: Run; values: URLSearchParams }) {
  const table = run.has_operations ? TABLES.find(([name]) => name === values.get('table'))?.[0] ?? 'operations' : 'launches';
  return (
    <>
      <h1 class="unseen">Tables</h1>
      <nav class="tabs" aria-label="Tables">
        {TABLES.filter(([name]) => run.has_operations || name === 'launches').map(([name, label]) => (
          <a href={href('tables', name === 'operations' ? {} : { table: name })} aria-current={table === name ? 'page' : undefined}>{label}</a>
        ))}
      </nav>
      {table === 'operations' && <Operations run={run} values={values} />}
      {table === 'launches' && <Launches run={run} values={values} />}
      {table === 'links' && <Links run={run} values={values} />}
      {table === 'pes' && <Pes run={run} values={values} />}
      {!run.has_operations && <p class="hint">This run has no operations; run it with --record DIR in place of --out DIR.</p>}
    </>
  );
}

function Operations({ run, values }: { run: Run; values: URLSearchParams }) {
  const [answer, setAnswer] = useState<{ rows: Operation[]; key: string } | null>(null);
  const [total, setTotal] = useState<{ key: string; count: number } | null>(null);
  const [failure, setFailure] = useState('');
  const filters = Object.fromEntries(['component', 'name', 'line', 't0', 't1'].map((key) => [key, values.get(key) ?? undefined]));
  const sort = values.get('sort') ?? 'seq', descending = values.get('order') === 'desc';
  const offset = Math.max(0, Number(values.get('offset') ?? 0) || 0);
  const to = (changed: Values) => href('tables', { ...filters, sort, order: descending ? 'desc' : 'asc', offset: offset || undefined, ...changed });
  const filterQuery = new URLSearchParams(Object.entries(filters).filter((entry): entry is [string, string] => !!entry[1])).toString();
  const query = `${filterQuery}&sort=${encodeURIComponent(sort)}&order=${descending ? 'desc' : 'asc'}&offset=${offset}&limit=${PAGE}`;
  useEffect(() => {
    const ended = new AbortController();
    fetchOperations(query, ended.signal).then((found) => {
      setAnswer({ rows: found.rows, key: query });
      if (found.total !== null) setTotal({ key: filterQuery, count: found.total });
      setFailure('');
    }).catch((error) => {
      if (ended.signal.aborted) return;
      setFailure(error.message);
      if (isReport) setAnswer(null);
    });
    return () => ended.abort();
  }, [query]);
  const hasLines = run.lines.length > 0;
  const known = total?.key === filterQuery ? total.count : null;
  const launch = run.launches.find((l) => filters.t0 && l.submit_fs === filters.t0);
  const submit = (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    location.hash = to({ component: String(form.get('component') ?? ''), name: String(form.get('name') ?? ''), offset: undefined });
  };
  return (
    <>
      {isReport ? <p class="tools"><OnlyServed what="These are the first operations of the run, or the longest of a launch; searching and sorting all of them needs" /></p> : <form class="tools" onSubmit={submit} key={filterQuery}>
        <label>Block <input name="component" defaultValue={filters.component ?? ''} placeholder="pe_dma or sip0.cube0.*" spellcheck={false} /></label>
        <label>Operation <input name="name" defaultValue={filters.name ?? ''} placeholder="DMA_READ" spellcheck={false} /></label>
        <button type="submit">Filter</button>
        {filters.line && <span>line {filters.line} <a href={to({ line: undefined, offset: undefined })}>all lines</a></span>}
        {(filters.t0 || filters.t1) && (
          <span>{launch ? `launch #${launch.id} ${runs(launch)}` : 'a window of time'} <a href={to({ t0: undefined, t1: undefined, offset: undefined })}>all of the run</a></span>
        )}
        <span class="dim right">{known !== null && `${count(known)} operations`}</span>
        <a href={aboutRun(`/api/ops.csv?${filterQuery}`)} download="operations.csv">CSV</a>
      </form>}
      {failure && <p class="message bad" role="alert">{failure}</p>}
      <div class="tablebox">
        <table class="data" aria-busy={!failure && answer?.key !== query}>
          <thead>
            <tr>
              <Head label="number" name="seq" sort={sort} descending={descending} to={to} number />
              <Head label="begins" name="start" sort={sort} descending={descending} to={to} number />
              <Head label="ends" name="end" sort={sort} descending={descending} to={to} number />
              <Head label="takes" name="duration" sort={sort} descending={descending} to={to} number />
              <th scope="col">block</th><th scope="col">kind</th><th scope="col">operation</th>{hasLines && <th scope="col">line</th>}
            </tr>
          </thead>
          <tbody>
            {answer?.rows.map((op) => <OperationRow op={op} run={run} hasLines={hasLines} />)}
            {answer?.rows.length === 0 && <tr><td colSpan={8} class="dim">No operation fits the filter.</td></tr>}
          </tbody>
        </table>
      </div>
      <p class="pages">
        {offset > 0 && <a href={to({ offset: Math.max(0, offset - PAGE) || undefined })}>previous</a>}
        <span class="dim">{answer && answer.rows.length > 0 && `${count(offset + 1)} to ${count(offset + answer.rows.length)}`}</span>
        {answer?.rows.length === PAGE && <a href={to({ offset: offset + PAGE })}>next</a>}
      </p>
    </>
  );
}

function OperationRow({ op, run, hasLines }: { op: Operation; run: Run; hasLines: boolean }) {
  const start = BigInt(op.start_fs), end = BigInt(op.end_fs);
  const edge = (end - start) * 2n + 1000000n;
  const place = href('timeline', { t0: start > edge ? start - edge : 0n, t1: end + edge, depth: 9, op: op.seq, row: op.component });
  return (
    <tr>
      <td class="number"><a href={place} title="Show it on the timeline">{op.seq}</a></td>
      <td class="number">{exact(start, true)}</td>
      <td class="number">{exact(end, true)}</td>
      <td class="number">{exact(end - start, true)}</td>
      <td>{op.component}</td><td>{op.kind}</td><td>{op.name}</td>{hasLines && <td><PlaceLink op={op} run={run} /></td>}
    </tr>
  );
}

const COLUMNS: { name: string; label: string; value: (launch: Launch) => number; time: boolean }[] = [
  { name: 'id', label: 'launch', value: (l) => l.id, time: false },
  { name: 'total', label: 'in all', value: (l) => total(l), time: true },
  { name: 'submit', label: 'submitted', value: (l) => l.submit_ns, time: true },
  { name: 'exec', label: 'slowest PE', value: (l) => l.pe_exec_ns.max, time: true },
  { name: 'spread', label: 'PE spread', value: (l) => l.pe_exec_ns.max - l.pe_exec_ns.min, time: true },
  { name: 'dma', label: 'DMA', value: (l) => l.dma_ns, time: true },
  { name: 'compute', label: 'compute', value: (l) => l.compute_ns, time: true },
  { name: 'late', label: 'late PEs', value: (l) => l.late_pes, time: false },
];

function Launches({ run, values }: { run: Run; values: URLSearchParams }) {
  const column = COLUMNS.find(({ name }) => name === values.get('sort')) ?? COLUMNS[1];
  const descending = values.get('order') !== 'asc';
  const to = (changed: Values) => href('tables', { table: 'launches', sort: column.name, order: descending ? 'desc' : 'asc', ...changed });
  const sorted = [...run.launches].sort((a, b) => (column.value(a) - column.value(b)) * (descending ? -1 : 1));
  return (
    <>
      <p class="tools">
        <span class="dim">{run.launch_count > run.launches.length ? `the ${count(run.launches.length)} longest of ${count(run.launch_count)} launches` : `${count(run.launch_count)} ${run.launch_count === 1 ? 'launch' : 'launches'}`}</span>
        {!isReport && <a class="right" href={aboutRun('/api/launches.csv')} download="launches.csv">CSV</a>}
      </p>
      <div class="tablebox">
        <table class="data">
          <thead>
            <tr>
              {COLUMNS.map((c) => <Head label={c.label} name={c.name} sort={column.name} descending={descending} to={to} number />)}
              <th scope="col">SIP</th><th scope="col">kernel</th><th scope="col">bounded by</th><th scope="col">state</th>
            </tr>
          </thead>
          <tbody>
            {sorted.slice(0, 500).map((launch) => (
              <tr>
                {COLUMNS.map((c) => (
                  <td class="number">{c.name === 'id' ? <a href={href('overview', { launch: launch.id })}>{`#${launch.id}`}</a> : c.time ? duration(c.value(launch) * 1e6) : count(c.value(launch))}</td>
                ))}
                <td>{launch.sip}</td><td>{runs(launch)}</td>
                <td>{boundedBy(launch)?.text}</td>
                <td class={launch.ok ? undefined : 'bad'}>{!launch.ok ? launch.error?.code ?? 'failed' : 'ok'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
