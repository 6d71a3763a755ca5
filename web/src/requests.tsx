// What `kernbench model requests --out` wrote: figures, requests over time, their table, and the knee of several rates.
import { useEffect, useMemo } from 'preact/hooks';
import { hrefOf } from './address';
import { joules } from './energy';
import { useAnswer } from './hooks';
import { Histogram, OverTime } from './requests_figures';
import { BLOCKS, DECODE, Lives, PREFILL, QUEUING } from './requests_lives';
import { fetchGaps, fetchServed, named, numbersOf, ratesTable, type Distribution, type OneRun, type Rates, type Served, type Table as Requests } from './requests_data';
import { Section } from './section';
import { SiteHead, type Site } from './site';
import { Choice, Figures, Table, type To } from './sweep';
import { cellText, filterOf } from './sweep_data';
import { Scatter } from './sweep_figures';
import { count, duration, percent } from './time';

const FS_PER_NS = 1e6;
const TIMES: [label: string, meaning: string, times: (run: OneRun) => Distribution][] = [
  ['time to first token (TTFT)', 'from arrival to the first token', (run) => run.ttft_ns], ['time per output token (TPOT)', 'mean of a request, after its first token', (run) => run.tpot_ns],
  ['gap between tokens (ITL)', 'each single one', (run) => run.itl_ns], ['latency', 'from arrival to the last token', (run) => run.latency_ns], ['queuing', 'until the step that completes the input', (run) => run.queuing_ns],
];
const COLUMNS: [label: string, key: keyof Distribution][] = [['mean', 'mean'], ['p50', 'p50'], ['p90', 'p90'], ['p95', 'p95'], ['p99', 'p99'], ['most', 'most']];
const number = (value: number): string => cellText(Number(value.toPrecision(4)));

export function RequestsPage({ site, values }: { site: Site; values: URLSearchParams }) {
  const served = useAnswer('requests', fetchServed), found = served.value;
  useEffect(() => { document.title = `${site.name} · kernbench`; }, []);
  const what = found ? `${count(found.summary.requests)} requests${found.summary.rates ? ` at ${count(found.summary.rates.length)} rates` : ''}, ${found.summary.model} on ${found.summary.hardware}` : '';
  return (
    <>
      <SiteHead site={site} what={what} />
      <main id="content" class="page" tabIndex={-1}>
        <h1 class="unseen">Requests</h1>
        {served.failure && <p class="message bad" role="alert">{served.failure}</p>}
        {!found && !served.failure && <p class="message" role="status">Reading the requests …</p>}
        {found?.problems.map((problem) => <p class="message bad" role="alert">{problem}</p>)}
        {found?.summary.warnings.map((warning) => <p class="message warn">{warning}</p>)}
        {found && (found.summary.rates ? <Knee summary={found.summary} values={values} /> : <Run served={found} run={found.summary} values={values} />)}
        {found && <About served={found} />}
      </main>
    </>
  );
}

const addressOf = (values: URLSearchParams): To => (changed) => hrefOf(null, 'requests', { ...Object.fromEntries(values), ...changed });

function Run({ served: { requests, seconds }, run, values }: { served: Served; run: OneRun; values: URLSearchParams }) {
  const to = addressOf(values), filter = values.get('filter') ?? '', marked = values.has('point') ? Number(values.get('point')) : null;
  const rows = useMemo(() => requests?.rows.filter(filterOf(filter, requests.columns)) ?? [], [requests, filter]);
  const row = requests?.rows.find(({ point }) => point === marked);
  return (
    <>
      <Headline run={run} />
      {seconds && seconds.rows.length > 0 && (
        <Section title="Over time">
          <div class="columns three">
            <OverTime table={seconds} unit="requests" lines={[{ name: 'running', label: 'running', colour: DECODE }, { name: 'waiting', label: 'waiting', colour: QUEUING }]} />
            <OverTime table={seconds} unit="%" lines={[{ name: 'blocks', label: 'blocks in use', colour: BLOCKS }]} />
            <OverTime table={seconds} unit="tokens/s" lines={[{ name: 'input_tokens', label: 'input', colour: PREFILL }, { name: 'output_tokens', label: 'output', colour: DECODE }]} />
          </div>
        </Section>
      )}
      {requests && requests.rows.length > 0 && (
        <>
          <Section title="How the times are distributed" hint="p50 and p99 are those of all requests.">
            <div class="columns">
              {([['ttft_ms', run.ttft_ns], ['tpot_ms', run.tpot_ns]] as const).map(([name, known]) => <Histogram values={numbersOf({ ...requests, rows }, name)} column={named(requests, name)} known={known} />)}
            </div>
          </Section>
          {requests.rows.length < requests.total && <p class="message warn">These are the first {count(requests.rows.length)} of {count(requests.total)} requests, in order of their ends.</p>}
          {row && <One requests={requests} row={row} none={to({ point: undefined })} />}
          <Lives requests={requests} rows={rows} seconds={seconds} values={values} to={to} marked={marked} />
          <Table sweep={requests} rows={rows} values={values} to={to} filter={filter} kind={{ title: 'Requests', noun: ['request', 'requests'], page: 20, example: 'ttft_ms>200 input<1000', sort: 'latency_ms' }} />
          <Figures sweep={{ ...requests, objectives: [] }} rows={rows} values={values} to={to} ofPoint={(one) => to({ point: one.point })} marked={marked} title="Any two columns" first={['input', 'ttft_ms']} noun="request" />
        </>
      )}
    </>
  );
}

function Headline({ run }: { run: OneRun }) {
  const { policy } = run, spent = run.launches?.joules, text = (value: number) => joules(value * 1e15);
  return (
    <Section title="What users get">
      <p class="facts-line">
        <span><strong>{number(run.requests_per_s)}</strong> requests/s</span><span><strong>{number(run.output_tokens_per_s)}</strong> output tokens/s</span><span>{number(run.input_tokens_per_s)} input tokens/s</span>
        {spent?.total !== undefined && <span><strong>{text(spent.per_output_token)}</strong> per output token ({text(spent.total)}, {text(spent.low)} to {text(spent.high)}; {number(spent.watts)} W)</span>}
        <span>{duration(run.seconds * 1e15)}, {count(run.steps)} steps, busy {percent(run.seconds > 0 ? run.busy_ns / (run.seconds * 1e9) : 0)}</span>
      </p>
      <div class="scrollx"><table class="data times">
        <thead><tr><th scope="col">time</th>{COLUMNS.map(([label]) => <th scope="col" class="number">{label}</th>)}</tr></thead>
        <tbody>{TIMES.map(([label, meaning, times]) => <tr><th scope="row" title={meaning}>{label}</th>{COLUMNS.map(([, key]) => <td class="number">{duration(times(run)[key] * FS_PER_NS)}</td>)}</tr>)}</tbody>
      </table></div>
      <p class="facts-line below">
        <span>running {number(run.running.mean)} on average, {count(run.running.most)} at most</span><span>waiting {count(run.waiting_most)} at most</span>
        <span>blocks in use {percent(run.blocks_used.mean / policy.blocks)} on average, {percent(run.blocks_used.most / policy.blocks)} of {count(policy.blocks)} at most</span>
        <span class={run.preemptions > 0 ? 'warn' : undefined}>{count(run.preemptions)} preemptions, {count(run.recomputed_tokens)} tokens computed again</span>
        <span>{count(run.prefix_hit_tokens)} of {count(run.input_tokens)} input tokens found in the prefix cache{policy.prefix_cache ? '' : ' (off)'}</span>
      </p>
    </Section>
  );
}

function One({ requests, row, none }: { requests: Requests; row: Requests['rows'][number]; none: string }) {
  const answer = useAnswer(`${row.point}`, (signal) => fetchGaps(row.point, signal)), gaps = answer.key === `${row.point}` ? answer.value : null;
  return (
    <Section title={`Request ${row.point}`}>
      <p class="facts-line">{requests.columns.slice(1).map((column) => <span title={column.text}>{column.name} <strong>{cellText(row.cells[column.at])}</strong></span>)}<a href={none}>hide it</a></p>
      {answer.failure && <p class="bad" role="alert">{answer.failure}</p>}
      {gaps && gaps.rows.length > 1 && <OverTime table={gaps} unit="ms" lines={[{ name: 'gap_ms', label: 'time since the token before', colour: DECODE }]} across={['gap', 'output token']} />}
    </Section>
  );
}

const LEVELS = ['ttft_p50_ms', 'ttft_p99_ms', 'tpot_mean_ms', 'latency_mean_ms', 'latency_p50_ms', 'latency_p99_ms'], ACROSS = ['served_per_s', 'tokens_per_s', 'rate'];

function Knee({ summary, values }: { summary: Rates; values: URLSearchParams }) {
  const table = useMemo(() => ratesTable(summary.rates), [summary]), to = addressOf(values);
  const pick = (names: string[], key: string, usual: string) => named(table, names.find((name) => name === values.get(key)) ?? usual);
  const x = pick(ACROSS, 'x', ACROSS[0]), y = pick(LEVELS, 'y', 'latency_mean_ms');
  const at = summary.rates.findIndex(({ rate_per_s: rate }) => rate === summary.knee_rate_per_s), knee = at < 0 ? undefined : summary.rates[at];
  return (
    <>
      <Section title="The knee" hint="Each point is the same trace at another rate. The knee is the rate farthest below the straight line from the first to the last point, of throughput and mean latency.">
        <p class="facts-line">{knee
          ? <span>At <strong>{number(knee.rate_per_s)} requests/s</strong> the device serves {number(knee.requests_per_s)} requests/s and {number(knee.output_tokens_per_s)} output tokens/s; TTFT {duration(knee.ttft_p50_ns * FS_PER_NS)} (p99 {duration(knee.ttft_p99_ns * FS_PER_NS)}), TPOT {duration(knee.tpot_mean_ns * FS_PER_NS)}, latency {duration(knee.latency_mean_ns * FS_PER_NS)}.</span>
          : <span>These rates have no knee: it takes three of them, and a latency that rises.</span>}</p>
        <div class="tools">
          <Choice label="across" name="x" chosen={x} columns={ACROSS.map((name) => named(table, name))} to={to} />
          <Choice label="up" name="y" chosen={y} columns={LEVELS.map((name) => named(table, name))} to={to} />
        </div>
        <Scatter rows={table.rows} to={() => to({})} marked={at} x={x} y={y} colour={null} joined mark="knee" />
      </Section>
      <Section title="Rates">
        <div class="scrollx"><table class="data rates">
          <thead><tr>{table.columns.map(({ name, text }) => <th scope="col" class="number" title={text}>{name}</th>)}<th scope="col" /></tr></thead>
          <tbody>{table.rows.map((row) => <tr class={row.point === at ? 'chosen' : undefined}>{table.columns.map((column) => <td class="number">{cellText(row.cells[column.at])}</td>)}<td>{row.point === at && 'knee'}</td></tr>)}</tbody>
        </table></div>
      </Section>
    </>
  );
}

function About({ served: { summary } }: { served: Served }) {
  const { policy } = summary;
  return (
    <Section title="What was served, and what the numbers do not contain">
      <p class="facts-line">
        <span>trace <strong>{summary.trace}</strong> ({summary.trace_format}){summary.skipped > 0 && `, ${count(summary.skipped)} left out`}</span><span>{summary.profile === null ? 'simulated' : <>profile <strong>{summary.profile}</strong></>}, tp {summary.tp}</span>
        <span>{count(policy.blocks)} blocks of {policy.block_size} tokens, at most {count(policy.max_seqs)} requests and {count(policy.max_tokens)} tokens in a step, prefix cache {policy.prefix_cache ? 'on' : 'off'}</span><span>kernbench {summary.version}</span>
      </p>
      <ul class="abstractions">{summary.abstractions.map((one) => <li>{one}</li>)}</ul>
    </Section>
  );
}
