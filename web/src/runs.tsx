// All runs below a folder: search, sort, open one, compare two.
import { useEffect, useState } from 'preact/hooks';
import { hrefOf, type ChosenRun } from './address';
import { json } from './api';
import { SiteHead, type Site } from './site';
import { Head, type Values } from './table_parts';
import { count, duration } from './time';

// Summary of the result of a run; `failure` when it cannot be opened.
interface Summary { version?: string; failure?: string; workload?: string; machine?: string; longest_ns?: number; launches?: number; sim_time_ns?: number; ok?: boolean }
export interface Listed { name: string; date: number; recorded: boolean; summary: Summary | null }
interface List { folder: string; runs: Listed[]; unread: number; cut: string }

// `more`: reads more results of the runs that were found before.
async function fetchRuns(more: boolean, signal: AbortSignal): Promise<List> {
  const raw = await json<Omit<List, 'runs'> & { runs: [string, number, boolean, Summary | null][] }>(`/api/runs${more ? '?more=1' : ''}`, signal);
  return { ...raw, runs: raw.runs.map(([name, date, recorded, summary]) => ({ name, date, recorded, summary })) };
}

const PAGE = 200;
const two = (number: number) => String(number).padStart(2, '0');
const dateText = (ms: number): string => { const d = new Date(ms); return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}`; };
const lastPart = (path: string): string => path.split('/').pop() ?? path;

type Key = 'name' | 'workload' | 'machine' | 'longest' | 'simulated' | 'result' | 'recorded' | 'date';
const KEYS: [Key, string, (run: Listed) => string | number, boolean][] = [
  ['name', 'run', ({ name }) => name, false],
  ['workload', 'workload', ({ summary }) => summary?.workload ?? '', false],
  ['machine', 'machine', ({ summary }) => lastPart(summary?.machine ?? ''), false],
  ['longest', 'longest launch', ({ summary }) => summary?.longest_ns ?? -1, true],
  ['simulated', 'simulated', ({ summary }) => summary?.sim_time_ns ?? -1, true],
  ['result', 'result', ({ summary }) => (summary?.failure ? 2 : summary?.ok === false ? 1 : 0), false],
  ['recorded', 'recorded', ({ recorded }) => Number(recorded), false],
  ['date', 'date', ({ date }) => date, false],
];

// All words must occur in the row.
function matches({ name, summary }: Listed, words: string[]): boolean {
  const text = [name, summary?.workload, summary?.machine, summary?.version, summary?.failure].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function useRuns(): { list: List | null; failure: string } {
  const [list, setList] = useState<List | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    const ended = new AbortController();
    const ask = async () => {
      let now = await fetchRuns(false, ended.signal);
      setList(now);
      while (now.unread > 0) setList(now = await fetchRuns(true, ended.signal));
    };
    ask().catch((error) => { if (!ended.signal.aborted) setFailure(error.message); });
    return () => ended.abort();
  }, []);
  return { list, failure };
}

export function RunsPage({ site, values }: { site: Site; values: URLSearchParams }) {
  const { list, failure } = useRuns();
  const [chosen, setChosen] = useState<string[]>([]);
  useEffect(() => { document.title = `${site.name} · kernbench`; }, []);
  const search = values.get('q') ?? '', only = values.get('only') ?? '';
  const [sort, , valueOf] = KEYS.find(([key]) => key === values.get('sort')) ?? KEYS[KEYS.length - 1], descending = (values.get('order') ?? 'desc') === 'desc';
  const shownCount = Math.max(PAGE, Number(values.get('show')) || 0);
  const to = (changed: Values) => hrefOf(null, 'runs', { q: search, only, sort, order: descending ? 'desc' : 'asc', ...changed });
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = (list?.runs ?? []).filter((run) => matches(run, words) && (!only || (only === 'ok' ? run.summary?.ok : only === 'failed' ? run.summary?.ok === false || !!run.summary?.failure : run.recorded)));
  const compare = (a: Listed, b: Listed) => { const x = valueOf(a), y = valueOf(b); return x < y ? -1 : x > y ? 1 : 0; };
  found.sort((a, b) => (descending ? compare(b, a) : compare(a, b)));
  const choose = (name: string) => setChosen((before) => (before.includes(name) ? before.filter((one) => one !== name) : [...before, name].slice(-2)));
  return (
    <>
      <SiteHead site={site} what={list ? `${count(list.runs.length)} ${list.runs.length === 1 ? 'run' : 'runs'}` : ''} />
      <main id="content" class="page" tabIndex={-1}>
        <h1 class="unseen">Runs</h1>
        {failure && <p class="message bad" role="alert">{failure}</p>}
        {list?.cut && <p class="message warn">{list.cut}</p>}
        <div class="tools">
          <label>Search <input type="search" defaultValue={search} placeholder="gemm one_cube" spellcheck={false} onInput={(event) => { history.replaceState(null, '', to({ q: (event.target as HTMLInputElement).value })); dispatchEvent(new Event('hashchange')); }} /></label>
          <label>Show <select value={only} onChange={(event) => { location.hash = to({ only: (event.target as HTMLSelectElement).value }).slice(1); }}>
            <option value="">all runs</option><option value="ok">ok</option><option value="failed">failed</option><option value="recorded">recorded</option>
          </select></label>
          <Compare chosen={chosen} runs={list?.runs ?? []} />
          <span class="dim right">{list && list.unread > 0 ? `reading ${count(list.unread)} results …` : list && found.length < list.runs.length ? `${count(found.length)} of ${count(list.runs.length)}` : ''}</span>
        </div>
        <div class="tablebox">
          <table class="data runs" aria-busy={!list || list.unread > 0}>
            <thead><tr>
              <th scope="col"><span class="unseen">compare</span></th>
              {KEYS.map(([key, label, , number]) => <Head label={label} name={key} sort={sort} descending={descending} to={to} number={number} />)}
            </tr></thead>
            <tbody>{found.slice(0, shownCount).map((run) => <Row key={run.name} run={run} chosen={chosen.includes(run.name)} choose={choose} />)}</tbody>
          </table>
        </div>
        {found.length > shownCount && <p class="pages"><a href={to({ show: shownCount + PAGE })}>{count(found.length - shownCount)} more</a></p>}
        {list && found.length === 0 && <p class="message">No run {list.runs.length > 0 ? 'matches' : 'is here any more'}.</p>}
      </main>
    </>
  );
}

// A is the older run.
function Compare({ chosen, runs }: { chosen: string[]; runs: Listed[] }) {
  const [a, b] = runs.filter(({ name }) => chosen.includes(name)).sort((x, y) => x.date - y.date || (x.name < y.name ? -1 : 1));
  if (!b) return <span class="dim">{a ? 'choose one more to compare' : 'choose two to compare'}</span>;
  return <a href={hrefOf({ name: b.name, against: a.name } as ChosenRun, 'compare')}>compare {a.name} (A) with {b.name} (B)</a>;
}

function Row({ run, chosen, choose }: { run: Listed; chosen: boolean; choose: (name: string) => void }) {
  const { name, summary, recorded, date } = run, open = summary && !summary.failure;
  return (
    <tr>
      <td><input type="checkbox" checked={chosen} disabled={!open} aria-label={`compare ${name}`} onChange={() => choose(name)} /></td>
      <th scope="row">{open ? <a href={hrefOf({ name, against: '' }, 'overview')}>{name}</a> : name}</th>
      {summary?.failure ? <td colSpan={5} class="warn wrap">{summary.failure}</td> : (
        <>
          <td>{summary?.workload ?? '…'}</td><td title={summary?.machine}>{lastPart(summary?.machine ?? '')}</td>
          <td class="number">{summary?.longest_ns ? duration(summary.longest_ns * 1e6) : ''}</td>
          <td class="number">{summary?.sim_time_ns ? duration(summary.sim_time_ns * 1e6) : ''}</td>
          <td class={summary?.ok === false ? 'bad' : 'good'}>{summary && (summary.ok === false ? 'failed' : 'ok')}</td>
        </>
      )}
      <td>{recorded ? 'yes' : 'no'}</td><td>{dateText(date)}</td>
    </tr>
  );
}
