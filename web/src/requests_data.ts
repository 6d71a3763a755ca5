// Served requests as the page shows them: tables as those of a sweep, times in ms and s.
import { json } from './api';
import type { Column, SweepRow } from './sweep_data';

export interface Distribution { mean: number; p50: number; p90: number; p95: number; p99: number; most: number }
interface Rate { rate_per_s: number; requests_per_s: number; output_tokens_per_s: number; ttft_p50_ns: number; ttft_p99_ns: number; tpot_mean_ns: number; latency_mean_ns: number; latency_p50_ns: number; latency_p99_ns: number; preemptions: number }
interface Setup {
  version: string; trace: string; trace_format: string; profile: string | null; model: string; hardware: string; tp: number; requests: number; skipped: number;
  policy: { blocks: number; block_size: number; max_seqs: number; max_tokens: number; prefix_cache?: boolean };
  warnings: string[]; abstractions: string[];
}
interface Joules { total?: number; low: number; high: number; watts: number; per_output_token: number }
export interface OneRun extends Setup {
  launches?: { joules?: Joules | null };
  rates?: undefined;
  seconds: number; requests_per_s: number; input_tokens_per_s: number; output_tokens_per_s: number; steps: number; busy_ns: number;
  ttft_ns: Distribution; tpot_ns: Distribution; itl_ns: Distribution; latency_ns: Distribution; queuing_ns: Distribution;
  input_tokens: number; recomputed_tokens: number; preemptions: number; prefix_hit_tokens: number;
  running: { mean: number; most: number }; waiting_most: number; blocks_used: { mean: number; most: number };
}
export interface Rates extends Setup { rates: Rate[]; knee_rate_per_s?: number | null }
export interface Table { columns: Column[]; rows: SweepRow[]; total: number }
export interface Served { summary: OneRun | Rates; requests: Table | null; seconds: Table | null; problems: string[] }

interface RawTable { columns: string[]; rows: number[][]; total: number }
// A column of a table of the page: its name there and its meaning, the column of the file and what it is divided by.
type Source = [name: string, text: string, from: string, unit?: number];

const REQUESTS: Source[] = [
  ['request', 'number in the trace', 'request id'], ['latency_ms', 'from arrival to the last token', 'latency', 1e6], ['ttft_ms', 'time to first token', 'TTFT', 1e6],
  ['tpot_ms', 'time per further output token', 'TPOT', 1e6], ['queuing_ms', 'until the step that completes the input', 'queuing_delay', 1e6],
  ['arrival_s', 'after the begin of the trace', 'arrival', 1e9], ['end_s', 'time of the last token', 'end_time', 1e9], ['input', 'tokens', 'input'], ['output', 'tokens', 'output'],
];
const SECONDS: Source[] = [
  ['t', 'second', 't'], ['input_tokens', 'computed in this second', 'prompt_throughput'], ['output_tokens', 'made in this second', 'gen_throughput'],
  ['running', 'requests', 'running'], ['waiting', 'requests', 'waiting'], ['blocks', '% of all blocks in use', 'kv_cache_pct'],
];
const RATES: [name: string, text: string, from: keyof Rate, unit?: number][] = [
  ['rate', 'requests per second that arrive', 'rate_per_s'], ['served_per_s', 'requests per second that end', 'requests_per_s'], ['tokens_per_s', 'output tokens', 'output_tokens_per_s'],
  ['ttft_p50_ms', 'time to first token', 'ttft_p50_ns', 1e6], ['ttft_p99_ms', 'time to first token', 'ttft_p99_ns', 1e6], ['tpot_mean_ms', 'time per output token', 'tpot_mean_ns', 1e6],
  ['latency_mean_ms', 'from arrival to the last token', 'latency_mean_ns', 1e6], ['latency_p50_ms', 'the same', 'latency_p50_ns', 1e6], ['latency_p99_ms', 'the same', 'latency_p99_ns', 1e6],
  ['preemptions', 'requests that lost their blocks', 'preemptions'],
];

const columnOf = ([name, text]: readonly [string, string, ...unknown[]], at: number, role: Column['role'] = 'result'): Column => ({ name, role, text, at, numbers: true, goal: '' });
const rowOf = (cells: number[], point: number): SweepRow => ({ cells, point, status: 'ok', run: '', front: false });

function tableOf(raw: RawTable | null, sources: Source[]): Table | null {
  if (!raw) return null;
  const places = sources.map(([, , from, unit]) => [raw.columns.indexOf(from), unit ?? 1]);
  return {
    columns: sources.map((source, i) => columnOf(source, i, i === 0 ? 'point' : 'result')),
    rows: raw.rows.map((row) => { const cells = places.map(([at, unit]) => row[at] / unit); return rowOf(cells, cells[0]); }), total: raw.total,
  };
}

export const ratesTable = (rates: Rate[]): Table => ({
  columns: RATES.map((source, i) => columnOf(source, i)), rows: rates.map((rate, i) => rowOf(RATES.map(([, , from, unit]) => rate[from] / (unit ?? 1)), i)), total: rates.length,
});

// Times between the output tokens of a request, as a table by token.
export async function fetchGaps(request: number, signal: AbortSignal): Promise<Table> {
  const { gaps_ns: gaps } = await json<{ gaps_ns: number[] }>(`/api/gaps?request=${request}`, signal);
  return { columns: [columnOf(['t', 'output token'], 0), columnOf(['gap_ms', 'since the token before'], 1)], rows: gaps.map((gap, i) => rowOf([i + 1, gap / 1e6], i)), total: gaps.length };
}

export async function fetchServed(signal: AbortSignal): Promise<Served> {
  const raw = await json<Omit<Served, 'requests' | 'seconds'> & { requests: RawTable | null; seconds: RawTable | null }>('/api/requests', signal);
  return { ...raw, requests: tableOf(raw.requests, REQUESTS), seconds: tableOf(raw.seconds, SECONDS) };
}

export const named = (table: Table, name: string): Column => table.columns.find((column) => column.name === name)!;
export const numbersOf = (table: Table, name: string): number[] => { const { at } = named(table, name); return table.rows.map(({ cells }) => cells[at] as number); };

// At most MOST_DRAWN values of a line: means of `step` each.
const MOST_DRAWN = 600;
export const stepOf = (values: number[]): number => Math.ceil(values.length / MOST_DRAWN);
export function means(values: number[]): number[] {
  const step = stepOf(values);
  return step <= 1 ? values : Array.from({ length: Math.ceil(values.length / step) }, (_, i) => { const part = values.slice(i * step, (i + 1) * step); return part.reduce((a, b) => a + b, 0) / part.length; });
}

// Times of a request in s.
export interface Life { row: SweepRow; id: number; arrival: number; begin: number; first: number; end: number }
export function livesOf(table: Table, rows: SweepRow[]): Life[] {
  const [arrival, queuing, ttft, end] = ['arrival_s', 'queuing_ms', 'ttft_ms', 'end_s'].map((name) => named(table, name).at);
  const lives = rows.map((row): Life => {
    const at = row.cells[arrival] as number;
    return { row, id: row.point, arrival: at, begin: at + (row.cells[queuing] as number) / 1e3, first: at + (row.cells[ttft] as number) / 1e3, end: row.cells[end] as number };
  });
  return lives.sort((a, b) => a.arrival - b.arrival || a.id - b.id);
}
