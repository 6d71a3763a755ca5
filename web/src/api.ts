// Requests to the server, or to the answers inside a report.
import { answerInside, isReport, windowInside, type Reply } from './answers';
import type { Directory } from './nodes';
import type { Words } from './words';
import { aboutRun } from './address';
import type { Joules, Launch as RecordedLaunch, Result, Tornado, Why } from './result';

// Name of a launch on all pages, equal to launch_name() of the program: "linear", with a label "linear (first layer)".
export const runs = ({ kernel, label }: { kernel: string; label?: string }): string => (label ? `${kernel} (${label})` : kernel);
export const launchName = (launch: Launch): string => `#${launch.id} ${runs(launch)} sip${launch.sip}`;
export const launchOf = (run: Run, id: number): Launch | undefined => run.launches.find((launch) => launch.id === id);

// What result.json has, with times that are exact: a number cannot hold those of long runs.
export interface Launch extends RecordedLaunch { submit_fs: string; start_fs: string | null; completed_fs: string | null }
export interface Run extends Omit<Result, 'launches'> {
  folder: string;
  launches: Launch[];
  machine?: Record<string, number>;  // how many it has of each part
  own_topology?: boolean;
  has_operations: boolean;
  why?: Why;
  why_problem?: string;  // why.json is there and not shown
  tornado?: Tornado;
  tornado_problem?: string;
}

export interface State { ready: boolean; progress: number; operations?: number; begin_fs?: string; end_fs?: string }

export interface Row { name: string; label: string; parent: number; depth: number; component: boolean; members: number }
// `engine` executes it; empty when none does.
export interface OperationName { kind: string; name: string; engine: string }
export interface Rows { rows: Row[]; operations: OperationName[] }

// Times are counted from the first bucket of the tile.
export interface TileOps { row: Uint16Array; seq: Uint32Array; operation: Uint16Array; start: Float64Array; end: Float64Array }

export interface Tile {
  rowIds: number[];
  first: bigint;
  width: number;
  columns: number;
  share: Float32Array;
  count: Uint32Array;
  dominant: Uint16Array;
  ops: TileOps | null;
}

// A call in a line of a kernel.
export type RawPlace = [id: number, file: string, line: number, call: string, range: string, tensor: string];

export interface Operation {
  seq: number;
  start_fs: string;
  end_fs: string;
  component: string;
  kind: string;
  name: string;
  params?: string;
  place?: RawPlace;
}

// All requests of the page.
async function get(path: string, signal?: AbortSignal): Promise<Reply> {
  if (isReport) return answerInside(path);
  const response = await fetch(aboutRun(path), { signal });
  if (response.ok) return response;
  const text = await response.text();
  let message = text.trim();
  try {
    message = JSON.parse(text).error ?? message;
  } catch {
    // The text is not JSON, and is therefore the message.
  }
  throw new Error(message || `the server answers ${response.status}`);
}

export async function json<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await get(path, signal)).json();
}

export const fetchRun = () => json<Run>('/api/run');
export const fetchNodes = () => json<Directory>('/api/nodes');
export const fetchWords = () => json<Words>('/api/words');
export const fetchState = () => json<State>('/api/state');
export const fetchOperation = (seq: number, signal?: AbortSignal) => json<Operation>(`/api/op?seq=${seq}`, signal);
export const fetchOperations = (query: string, signal: AbortSignal) =>
  json<{ total: number | null; rows: Operation[] }>(`/api/ops?${query}`, signal);

export async function fetchRows(): Promise<Rows> {
  const raw = await json<{ rows: [string, string, number, boolean, number][]; operations: [string, string, string][] }>('/api/rows');
  const rows: Row[] = [];
  for (const [name, label, parent, component, members] of raw.rows) {
    rows.push({ name, label, parent, component, members, depth: parent < 0 ? 0 : rows[parent].depth + 1 });
  }
  return { rows, operations: raw.operations.map(([kind, name, engine]) => ({ kind, name, engine })) };
}

export async function fetchTile(rows: number[], t0: bigint, t1: bigint, px: number, signal: AbortSignal): Promise<Tile> {
  const fixed = isReport ? windowInside(t0, t1) : null, rowIds = fixed?.rows ?? rows;
  const response = await get(`/api/tiles?t0=${fixed?.t0 ?? t0}&t1=${fixed?.t1 ?? t1}&px=${fixed?.px ?? px}&rows=${rowIds.join(',')}`, signal);
  const bytes = await response.arrayBuffer();
  const end = new Uint8Array(bytes).indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 0, end)));
  const size = rowIds.length * head.columns;
  let at = end + 1;
  const column = <T>(type: { new (buffer: ArrayBuffer, offset: number, length: number): T; BYTES_PER_ELEMENT: number }, length: number): T => {
    const values = new type(bytes, at, length);
    at += Math.ceil((length * type.BYTES_PER_ELEMENT) / 8) * 8;
    return values;
  };
  return {
    rowIds,
    first: BigInt(head.first_fs),
    width: Number(head.width_fs),
    columns: head.columns,
    share: column(Float32Array, size),
    count: column(Uint32Array, size),
    dominant: column(Uint16Array, size),
    ops: head.ops === null ? null : {
      start: column(Float64Array, head.ops),
      end: column(Float64Array, head.ops),
      seq: column(Uint32Array, head.ops),
      row: column(Uint16Array, head.ops),
      operation: column(Uint16Array, head.ops),
    },
  };
}

// Use of a resource in a window of time.
export interface Resource { component: string; kind: string; name: string; share: number; busyNs: number; bytes: number; waitNs: number; queue: number; gbs: number; peer: string }  // of a wire, the node at its other end

export async function fetchActivity(query: string, signal: AbortSignal): Promise<{ total: number; rows: Resource[] }> {
  const raw = await json<{ total: number; rows: [string, string, string, number, number, number, number, number, number, string][] }>(`/api/activity?${query}`, signal);
  const rows = raw.rows.map(([component, kind, name, share, busyNs, bytes, waitNs, queue, gbs, peer]) => ({ component, kind, name, share, busyNs, bytes, waitNs, queue, gbs, peer }));
  return { total: raw.total, rows };
}

// All resources of one purpose: "sip*.cube*.pe*.pe_dma read".
export interface ResourceClass { name: string; kind: string; count: number; mean: number; most: number; component: string; busiest: string; bytes: number; waitNs: number; gbs: number }

export async function fetchClasses(t0: bigint, t1: bigint, signal: AbortSignal, run = ''): Promise<ResourceClass[]> {
  const raw = await json<[string, string, number, number, number, string, string, number, number, number][]>(`/api/classes?t0=${t0}&t1=${t1}&run=${run}`, signal);
  return raw.map(([name, kind, count, mean, most, component, busiest, bytes, waitNs, gbs]) => ({ name, kind, count, mean, most, component, busiest, bytes, waitNs, gbs }));
}

// Use of the resources of one kind in a PE (with its HBM slice), a cube or an IO chiplet, and of the wires between these.
export interface Cell { id: string; kind: string; mean: number; most: number; bytes: number; waitNs: number; queue: number }
export interface GroupWire { from: string; to: string; share: number; bytes: number; waitNs: number; gbs: number; queue: number }
export interface Cells { cells: Cell[]; wires: GroupWire[] }

export async function fetchCells(t0: bigint, t1: bigint, signal: AbortSignal, run = ''): Promise<Cells> {
  const raw = await json<{ cells: [string, string, number, number, number, number, number][]; wires: [string, string, number, number, number, number, number][] }>(`/api/cells?t0=${t0}&t1=${t1}&run=${run}`, signal);
  return {
    cells: raw.cells.map(([id, kind, mean, most, bytes, waitNs, queue]) => ({ id, kind, mean, most, bytes, waitNs, queue })),
    wires: raw.wires.map(([from, to, share, bytes, waitNs, gbs, queue]) => ({ from, to, share, bytes, waitNs, gbs, queue })),
  };
}

// Mean busy shares by kind of resource, in equal parts of the window.
export type Profile = Record<string, number[]>;
export const fetchProfile = (t0: bigint, t1: bigint, columns: number, under: string, signal: AbortSignal) =>
  json<Profile>(`/api/profile?t0=${t0}&t1=${t1}&px=${columns}&under=${encodeURIComponent(under)}`, signal);

export type MachineWire = [from: string, to: string, kind: string, gbs: number];
// `unit` is what its rate counts.
export interface MachineEngine { name: string; node: string; label: string; sentence: string; unit: string; operations_per_unit: number }
export interface MachineOverview {
  mesh: [number, number];
  cube_mm: [number, number];
  channels_per_slice: number;
  channel_gbs: number;
  engines: MachineEngine[];
  pes: [index: number, x: number, y: number][];
  pe_count: number;
  wires: MachineWire[];
}
export interface MachinePart { nodes: [id: string, kind: string, x: number | null, y: number | null][]; wires: MachineWire[] }
export const fetchMachine = (signal: AbortSignal) => json<MachineOverview>('/api/machine', signal);
export const fetchMachinePart = (under: string, signal: AbortSignal) =>
  json<MachinePart>(`/api/machine?under=${encodeURIComponent(under)}`, signal);

// Comparison of two runs; `before` is that of --against.
export interface Difference { name: string; unit: string; before: number; after: number }
export interface Compared { kernel: string; label?: string; sip: number | null; before: { id: number; ns: number; limiter: string }; after: { id: number; ns: number; limiter: string } }
// One statistic of the blocks of one kind: sums, and the block with the largest value.
export interface ChangeCause { kind: string; statistic: string; unit: string; count: number; before: number; after: number; most: { name: string; before: number; after: number } }
// A call in a line of a kernel whose time or waits changed; null where a run does not have it.
interface LineSide { line: number; ns: number; wait_ns: number }
interface Call { kernel: string; file: string; call: string; tensor: string; range: string }
export interface LineChange extends Call { before: LineSide | null; after: LineSide | null }
export interface ChangedCall extends Call { before: { line: number } | null; after: { line: number } | null }
// Joules by part and line, and the coefficients that differ; `total` is null when only one run has joules.
export interface EnergyChange { label: string; before: Joules; after: Joules }
interface EnergySide extends Joules { line: number }
export interface ComparedEnergy {
  notes: string[];
  coefficients: { name: string; unit: string; before: { value: number } | null; after: { value: number } | null }[];
  total: EnergyChange | null;
  difference_fj: { low: number; high: number } | null;
  parts: EnergyChange[];
  nobodys: EnergyChange | null;
  lines: (Call & { before: EnergySide | null; after: EnergySide | null })[];
}

export interface Comparison {
  before: string;
  after: string;
  failures: string[];
  settings: { name: string; before: string; after: string }[];
  launches: Compared[];
  without_partner: string[];
  total: Difference;
  other_machine: string;  // a sentence when the runs used different machines
  parts: Difference[];
  busy: Difference[];
  figures: Difference[];
  blocks: Difference[];
  causes: ChangeCause[];
  lines: LineChange[];
  energy: ComparedEnergy | null;  // null: neither run has joules
}
export const fetchComparison = (signal?: AbortSignal) => json<Comparison | null>('/api/compare', signal);
export const fetchOtherRun = (signal: AbortSignal) => json<Run>('/api/run?run=against', signal);

// Computations in a window. Operations are numbered as in fetchRows().
export interface OperationWork { operation: number; count: number; busyNs: number; macs: number; usefulMacs: number; elements: number }
// What an engine of all PEs together did, with padding, and its limit per ns.
export interface EngineWork { name: string; done: number; padded: number; peak: number }
// `levels` of the memory that moved something, HBM first, each with its roof.
export interface Work { pes: number; levels: [name: string, bytes: number, gbs: number][]; engines: EngineWork[]; operations: OperationWork[] }

// Available immediately when there are no operations.
export async function fetchWork(t0: bigint, t1: bigint, under: string, signal: AbortSignal, only: '' | 'resources' = ''): Promise<Work> {
  const raw = await json<Omit<Work, 'engines' | 'operations'> & { engines: [string, number, number, number][]; operations: [number, number, number, number, number, number][] }>(`/api/work?t0=${t0}&t1=${t1}&under=${under}&only=${only}`, signal);
  return {
    ...raw,
    engines: raw.engines.map(([name, done, padded, peak]) => ({ name, done, padded, peak })),
    operations: raw.operations.map(([operation, count, busyNs, macs, usefulMacs, elements]) => ({ operation, count, busyNs, macs, usefulMacs, elements })),
  };
}

// A message between PEs; times in fs from the begin of the window, null when outside the window.
export interface Message { sender: string | null; receiver: string | null; bytes: number; direction: string; sent: number | null; arrived: number | null; awaited: number | null; received: number | null }

export async function fetchMessages(t0: bigint, t1: bigint, signal: AbortSignal): Promise<{ all: boolean; messages: Message[] }> {
  const raw = await json<{ all: boolean; messages: [string | null, string | null, number, string, number | null, number | null, number | null, number | null][] }>(`/api/messages?t0=${t0}&t1=${t1}`, signal);
  return { all: raw.all, messages: raw.messages.map(([sender, receiver, bytes, direction, sent, arrived, awaited, received]) => ({ sender, receiver, bytes, direction, sent, arrived, awaited, received })) };
}

// Time shares of the PEs below a row or a node, by state, in equal parts of the window; 255 is the complete part.
export interface Strip { row: number; state: string; shares: Uint8Array }
export interface Strips { t0: bigint; t1: bigint; columns: number; strips: Strip[] }

export async function fetchStates(t0: bigint, t1: bigint, columns: number, which: string, signal: AbortSignal, run = ''): Promise<Strips> {
  const fixed = isReport && which.startsWith('rows=') ? windowInside(t0, t1) : null;
  const window = fixed ? { t0: BigInt(fixed.t0), t1: BigInt(fixed.t1) } : { t0, t1 };
  const bytes = await (await get(`/api/states?t0=${window.t0}&t1=${window.t1}&px=${columns}&${fixed ? `rows=${fixed.states.join(',')}` : which}&run=${run}`, signal)).arrayBuffer();
  const end = new Uint8Array(bytes).indexOf(10);
  const head: { columns: number; strips: [number, string][] } = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 0, end)));
  return { ...window, columns: head.columns, strips: head.strips.map(([row, state], i) => ({ row, state, shares: new Uint8Array(bytes, end + 1 + i * head.columns, head.columns) })) };
}

// A part of the critical chain on one PE; times in fs from the begin of the window.
export interface ChainPart { block: string; operation: number; time: number; count: number }
export interface ChainStay { pe: string; begin: number; end: number; between: number; parts: ChainPart[]; message: { sender: string; bytes: number; sent: number; arrived: number; awaited: number } | null }

export async function fetchChain(t0: bigint, t1: bigint, pe: string, signal: AbortSignal): Promise<{ all: boolean; stays: ChainStay[] }> {
  type Raw = [string, number, number, number, [string, number, number, number][], [string, number, number, number, number] | null];
  const raw = await json<{ all: boolean; stays: Raw[] }>(`/api/chain?t0=${t0}&t1=${t1}&pe=${encodeURIComponent(pe)}`, signal);
  return {
    all: raw.all,
    stays: raw.stays.map(([name, begin, end, between, parts, m]) => ({
      pe: name, begin, end, between, parts: parts.map(([block, operation, time, count]) => ({ block, operation, time, count })),
      message: m && { sender: m[0], bytes: m[1], sent: m[2], arrived: m[3], awaited: m[4] },
    })),
  };
}

// The operations of the same tile; times from the begin of the requested operation.
export type Related = [seq: number, component: string, begin: number, end: number][];
export const fetchRelated = (seq: number, signal: AbortSignal) => json<Related>(`/api/related?seq=${seq}`, signal);
// Nodes from the source of the data to its destination: "seq=7", or "from=sip0.cube0.pe0&to=sip0.cube1.pe0".
export const fetchRoute = (query: string, signal: AbortSignal) => json<string[]>(`/api/route?${query}`, signal);
