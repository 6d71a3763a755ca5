// Tables of wires and PEs, for the whole run or for one launch.
import { useMemo } from 'preact/hooks';
import { launchName, fetchActivity, type Resource, type Run } from './api';
import { aboutRun, href } from './address';
import { fits, isReport } from './answers';
import { useAnswer } from './hooks';
import { peTimes } from './pe_states';
import { STATES } from './words';
import { bytesText, kernelSpan, launchSpan, machineOf, rateText, timelineOf, type Span } from './resources';
import { Head, PAGE, type Values } from './table_parts';
import { count, duration, fromNs, percent } from './time';

// The whole run unless a launch is selected.
function windowOf(run: Run, values: URLSearchParams, kernel: boolean): Span {
  const launch = run.launches.find(({ id }) => String(id) === values.get('launch'));
  const end = fromNs(run.sim_time_ns);
  return (kernel ? kernelSpan(launch) : launchSpan(launch)) ?? { t0: 0n, t1: end > 0n ? end : 1n };
}

function Filter(props: { run: Run; values: URLSearchParams; to: (values: Values) => string; csv: string; total: string }) {
  const { run, values, to } = props;
  return (
    <form class="tools" key={values.get('name') ?? ''} onSubmit={(event) => {
      event.preventDefault();
      location.hash = to({ name: String(new FormData(event.target as HTMLFormElement).get('name') ?? ''), offset: undefined });
    }}>
      <label>Block <input name="name" defaultValue={values.get('name') ?? ''} placeholder="cube3 or sip0.cube0.*" spellcheck={false} /></label>
      <button type="submit">Filter</button>
      <label>During <select value={values.get('launch') ?? ''} onChange={(event) => { location.hash = to({ launch: (event.target as HTMLSelectElement).value, offset: undefined }); }}>
        <option value="">the whole run</option>
        {run.launches.slice(0, 500).map((launch) => <option value={String(launch.id)}>{launchName(launch)}</option>)}
      </select></label>
      <span class="dim right">{props.total}</span>
      {!isReport && <a href={aboutRun(props.csv)} download="resources.csv">CSV</a>}
    </form>
  );
}

const WIRE_COLUMNS: [string, string][] = [['used', 'busy'], ['bytes', 'bytes'], ['wait', 'waited'], ['queue', 'longest queue']];

export function Links({ run, values }: { run: Run; values: URLSearchParams }) {
  const span = windowOf(run, values, false);
  const sort = values.get('sort') ?? 'used', ascending = values.get('order') === 'asc';
  const offset = Math.max(0, Number(values.get('offset') ?? 0) || 0);
  const state = { table: 'links', sort, order: ascending ? 'asc' : 'desc', name: values.get('name') ?? undefined, launch: values.get('launch') ?? undefined, offset: offset || undefined };
  const to = (changed: Values) => href('tables', { ...state, ...changed });
  const filter = `t0=${span.t0}&t1=${span.t1}&kind=wire&name=${encodeURIComponent(values.get('name') ?? '')}&sort=${encodeURIComponent(sort)}&order=${state.order}`;
  const query = `${filter}&offset=${offset}&limit=${PAGE}`;
  const answer = useAnswer(query, (signal) => fetchActivity(query, signal));
  const length = Number(span.t1 - span.t0) / 1e6;
  const head = { sort, descending: !ascending, to };
  return (
    <>
      <Filter run={run} values={values} to={to} csv={`/api/activity.csv?${filter}`} total={answer.value ? `${count(answer.value.total)} wires in use` : ''} />
      {answer.failure && <p class="message bad" role="alert">{answer.failure}</p>}
      <div class="tablebox"><table class="data" aria-busy={answer.key !== query}>
        <thead><tr>
          <Head label="from" name="name" {...head} /><th scope="col">to</th>
          {WIRE_COLUMNS.map(([name, label]) => <Head label={label} name={name} {...head} number />)}
          <th scope="col" class="number">rate</th><th scope="col" class="number">of</th>
        </tr></thead>
        <tbody>
          {answer.value?.rows.map((row) => (
            <tr>
              <td><a href={machineOf(row.component, span, `${row.component} → ${row.peer}`)}>{row.component}</a></td><td>{row.peer}</td>
              <td class="number" title={duration(row.busyNs * 1e6)}>{percent(row.share)}</td><td class="number">{bytesText(row.bytes)}</td>
              <td class="number">{row.waitNs > 0 ? duration(row.waitNs * 1e6) : ''}</td><td class="number">{row.queue > 0 ? count(row.queue) : ''}</td>
              <td class="number">{rateText(row.bytes / length)}</td><td class="number">{row.gbs > 0 ? rateText(row.gbs) : ''}</td>
            </tr>
          ))}
          {answer.value?.rows.length === 0 && <tr><td colSpan={8} class="dim">No wire that was used fits the filter.</td></tr>}
        </tbody>
      </table></div>
      <p class="pages">
        {offset > 0 && <a href={to({ offset: Math.max(0, offset - PAGE) || undefined })}>previous</a>}
        <span class="dim">{answer.value && answer.value.rows.length > 0 && `${count(offset + 1)} to ${count(offset + answer.value.rows.length)}`}</span>
        {answer.value && offset + PAGE < answer.value.total && <a href={to({ offset: offset + PAGE })}>next</a>}
      </p>
    </>
  );
}

export function Pes({ run, values }: { run: Run; values: URLSearchParams }) {
  const launch = run.launches.find(({ id }) => String(id) === values.get('launch'));
  const span = windowOf(run, values, true);
  const filter = `t0=${span.t0}&t1=${span.t1}&kind=state&under=${launch ? `sip${launch.sip}` : ''}`;
  const answer = useAnswer(filter, (signal) => fetchActivity(filter, signal));
  const name = values.get('name') ?? '', sort = values.get('sort') ?? 'name', descending = values.get('order') === 'desc';
  const offset = Math.max(0, Number(values.get('offset') ?? 0) || 0);
  const to = (changed: Values) => href('tables', { table: 'pes', sort, order: descending ? 'desc' : 'asc', name, launch: values.get('launch') ?? undefined, offset: offset || undefined, ...changed });
  const all = useMemo(() => peTimes((answer.value?.rows ?? []) as Resource[]), [answer.value]);
  const rows = useMemo(() => {
    const column = STATES.findIndex((state) => state.name === sort);
    const found = all.filter(({ pe }) => !name || fits(pe, name));
    const sum = (parts: number[]) => parts.reduce((a, b) => a + b, 0);
    const value = (row: { parts: number[] }) => (column >= 0 ? row.parts[column] : sort === 'sum' ? sum(row.parts) : 0);
    if (sort !== 'name') found.sort((a, b) => (value(a) - value(b)) * (descending ? -1 : 1));
    else if (descending) found.reverse();
    return found;
  }, [all, name, sort, descending]);
  const length = Number(span.t1 - span.t0) / 1e6;
  const used = STATES.map((state, i) => ({ ...state, i })).filter(({ i }) => all.some(({ parts }) => parts[i] > 0));
  const head = { sort, descending, to };
  return (
    <>
      <Filter run={run} values={values} to={to} csv={`/api/activity.csv?${filter}&name=${encodeURIComponent(name)}`} total={answer.value ? `${count(rows.length)} ${rows.length === 1 ? 'PE' : 'PEs'} that ran a kernel` : ''} />
      {answer.failure && <p class="message bad" role="alert">{answer.failure}</p>}
      <p class="hint">Shares of {launch ? 'the time of the kernel' : 'the run'}, as in the states of PEs; the rest of the time no kernel ran there.</p>
      <div class="tablebox"><table class="data" aria-busy={answer.key !== filter}>
        <thead><tr>
          <Head label="PE" name="name" {...head} /><Head label="kernel" name="sum" {...head} number />
          {used.map((state) => <Head label={state.label} name={state.name} {...head} number />)}
        </tr></thead>
        <tbody>
          {rows.slice(offset, offset + PAGE).map(({ pe, parts }) => (
            <tr>
              <td><a href={timelineOf(pe, span)}>{pe}</a></td>
              <td class="number">{duration(parts.reduce((a, b) => a + b, 0) * 1e6)}</td>
              {used.map(({ i }) => <td class="number" title={duration(parts[i] * 1e6)}>{percent(parts[i] / length)}</td>)}
            </tr>
          ))}
          {answer.value && rows.length === 0 && <tr><td colSpan={2 + used.length} class="dim">No PE fits the filter.</td></tr>}
        </tbody>
      </table></div>
      <p class="pages">
        {offset > 0 && <a href={to({ offset: Math.max(0, offset - PAGE) || undefined })}>previous</a>}
        <span class="dim">{rows.length > 0 && `${count(offset + 1)} to ${count(Math.min(rows.length, offset + PAGE))}`}</span>
        {offset + PAGE < rows.length && <a href={to({ offset: offset + PAGE })}>next</a>}
      </p>
    </>
  );
}
