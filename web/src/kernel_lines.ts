// Accounts of a kernel by line: the time of its thread, and what the transfers and commands of a line did.
import { json, type RawPlace, type Run } from './api';
import type { Line } from './result';

// A call in a line of a kernel. The id is that of the operations; below 0 where there are none.
export interface Place extends Line { id: number }
// `held` issued what the thread waited for; null: the line's own call.
export interface LineTime { at: Place; held: Place | null; share: string; ns: number; allNs: number }
export interface LineUse { at: Place; role: string; busyNs: number; waitNs: number; bytes: number; mostAt: string; mostWaitNs: number }
export interface Account { places: Place[]; times: LineTime[]; uses: LineUse[]; sources: Map<string, string> }

export const placeOf = ([id, file, line, call, range, tensor]: RawPlace): Place => ({ id, file, line, call, range, tensor });
const NOWHERE: Place = { id: 0, file: '', line: 0, call: '', range: '', tensor: '' };

// `query`: "launch=3" or "kernel=gemm".
export async function fetchAccount(query: string, signal: AbortSignal): Promise<Account> {
  type Raw = { places: RawPlace[]; times: [number, number, string, number, number][]; uses: [number, string, number, number, number, string, number][]; sources: [string, string][] };
  const raw = await json<Raw>(`/api/kernel?${query}`, signal);
  const places = raw.places.map(placeOf), byId = new Map(places.map((place) => [place.id, place]));
  const at = (id: number): Place => byId.get(id) ?? NOWHERE;
  return {
    places,
    times: raw.times.map(([place, held, share, ns, allNs]) => ({ at: at(place), held: held === place ? null : at(held), share, ns, allNs })),
    uses: raw.uses.map(([place, role, busyNs, waitNs, bytes, mostAt, mostWaitNs]) => ({ at: at(place), role, busyNs, waitNs, bytes, mostAt, mostWaitNs })),
    sources: new Map(raw.sources),
  };
}

const keyOf = ({ file, line, call, range, tensor }: Line): string => [file, line, call, range, tensor].join('\n');

// What result.json has of a kernel, for a run without operations: its longest lines.
export function accountOf(run: Run, kernel: string): Account {
  const places = new Map<string, Place>();
  const at = (line: Line): Place => {
    const key = keyOf(line), place = places.get(key) ?? { ...line, id: -1 - places.size };
    places.set(key, place);
    return place;
  };
  const times = run.lines.filter((one) => one.kernel === kernel).flatMap((one) =>
    Object.entries(one.shares).map(([share, ns]) => ({ at: at(one.at), held: one.held_by ? at(one.held_by) : null, share, ns, allNs: 0 })));
  const uses = run.transfers.filter((one) => one.kernel === kernel).flatMap((one) =>
    Object.entries(one.uses).map(([role, use]) => ({ at: at(one.at), role, busyNs: use.busy_ns, waitNs: use.wait_ns, bytes: use.bytes, mostAt: use.most_at ?? '', mostWaitNs: use.most_wait_ns })));
  return { places: [...places.values()], times, uses, sources: new Map() };
}

const isIn = (range: string, outer: string): boolean => range === outer || range.startsWith(`${outer} / `);

// What lies in a range and in those inside it.
export function narrowed(account: Account, range: string): Account {
  if (range === '') return account;
  return { ...account, times: account.times.filter(({ at }) => isIn(at.range, range)), uses: account.uses.filter(({ at }) => isIn(at.range, range)) };
}

export const lineText = ({ file, line }: Line): string => `${file.slice(file.lastIndexOf('/') + 1)}:${line}`;
export const callText = (place: Line): string => (place.line > 0 ? `${lineText(place)} ${place.call}` : '');

// Sums of a line, a tensor or a range.
export interface Sums {
  ns: number;
  shares: Map<string, number>;
  held: Map<Place, number>;   // ns by the line that issued what was waited for
  bytes: number;              // moved by DMA channels
  waits: Map<string, number>; // ns by role of the resource
  most: Map<string, [at: string, ns: number]>;  // resource of each role with the longest wait
  waitNs: number;
  places: Place[];            // of the uses and times
}

const noSums = (): Sums => ({ ns: 0, shares: new Map(), held: new Map(), bytes: 0, waits: new Map(), most: new Map(), waitNs: 0, places: [] });

function add<Key>(to: Map<Key, number>, key: Key, value: number): void {
  to.set(key, (to.get(key) ?? 0) + value);
}

function addTime(sums: Sums, { at, held, share, ns }: LineTime): void {
  sums.ns += ns;
  add(sums.shares, share, ns);
  if (held && ns > 0) add(sums.held, held, ns);
  if (!sums.places.includes(at)) sums.places.push(at);
}

function addUse(sums: Sums, { at, role, waitNs, bytes, mostAt, mostWaitNs }: LineUse): void {
  if (role === 'dma') sums.bytes += bytes;
  if (waitNs > 0) add(sums.waits, role, waitNs);
  sums.waitNs += waitNs;
  if (mostWaitNs > (sums.most.get(role)?.[1] ?? 0)) sums.most.set(role, [mostAt, mostWaitNs]);
  if (!sums.places.includes(at)) sums.places.push(at);
}

// Sums by the key that `timeKey` and `useKey` give; null leaves a row out.
export function sumsBy<Key>({ times, uses }: Account, timeKey: (time: LineTime) => Key | null, useKey: (use: LineUse) => Key | null): Map<Key, Sums> {
  const all = new Map<Key, Sums>();
  const of = (key: Key): Sums => all.get(key) ?? all.set(key, noSums()).get(key)!;
  for (const time of times) { const key = timeKey(time); if (key !== null) addTime(of(key), time); }
  for (const use of uses) { const key = useKey(use); if (key !== null) addUse(of(key), use); }
  return all;
}

// Key of a place: file and line; '' without a line.
export const lineKey = ({ file, line }: Line): string => (line > 0 ? `${file}:${line}` : '');
export const sumsByLine = (account: Account): Map<string, Sums> => sumsBy(account, ({ at }) => lineKey(at), ({ at }) => lineKey(at));

// A tensor has the time in which the thread waited for it.
export const tensorOf = ({ at, held }: LineTime): string => held?.tensor || at.tensor;
export const sumsByTensor = (account: Account): Map<string, Sums> => sumsBy(account, (time) => tensorOf(time) || null, ({ at }) => at.tensor || null);

export interface RangeSums { name: string; path: string; depth: number; sums: Sums; inner: RangeSums[] }

// The ranges as a tree, in the order of their first line. The sums contain those of the ranges inside.
export function rangesOf(account: Account): RangeSums[] {
  const top: RangeSums[] = [];
  const chainOf = (path: string): RangeSums[] => {
    const chain: RangeSums[] = [];
    let level = top, whole = '';
    for (const name of path === '' ? [] : path.split(' / ')) {
      whole = whole ? `${whole} / ${name}` : name;
      const found = level.find((one) => one.name === name) ?? { name, path: whole, depth: chain.length, sums: noSums(), inner: [] };
      if (!level.includes(found)) level.push(found);
      chain.push(found);
      level = found.inner;
    }
    return chain;
  };
  for (const place of [...account.places].sort((a, b) => a.line - b.line)) chainOf(place.range);
  for (const time of account.times) for (const range of chainOf(time.at.range)) addTime(range.sums, time);
  for (const use of account.uses) for (const range of chainOf(use.at.range)) addUse(range.sums, use);
  return top;
}

// The class of resources that was waited for most, its wait, and the one of them with the longest wait.
export function mostWaited({ waits, most }: Sums): { role: string; ns: number; at: string } | null {
  const first = [...waits].sort((a, b) => b[1] - a[1])[0];
  return first ? { role: first[0], ns: first[1], at: most.get(first[0])?.[0] ?? '' } : null;
}
