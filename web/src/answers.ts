// A report is this page together with the answers to its initial requests. Other requests are refused with a sentence.
import { isIn } from './nodes';

// "/api/cells t0=1 t1=2": the path and the non-empty parameters by name, as in sim/web/report.
function keyOf(path: string, without: string[] = []): string {
  const [name, query] = path.split('?');
  const parameters = [...new URLSearchParams(query)].filter(([key, value]) => value !== '' && !without.includes(key));
  return [name, ...parameters.map(([key, value]) => `${key}=${value}`).sort()].join(' ');
}

// A window of time in which a report has its timeline, with the rows of its tile and of its strips of states.
export interface FixedWindow { t0: string; t1: string; px: number; rows: number[]; states: number[] }
interface Inside { answers: Record<string, string>; windows: FixedWindow[] }  // each answer packed by gzip, in base64
export interface Reply { json(): Promise<any>; arrayBuffer(): Promise<ArrayBuffer> }

const element = document.getElementById('answers');
const inside: Inside = element ? JSON.parse(element.textContent ?? '') : { answers: {}, windows: [] };
export const isReport = element !== null;

function unpacked(base64: string): Response {
  if (typeof DecompressionStream === 'undefined') throw new Error('This browser cannot unpack the report; one from 2023 or later can.');
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
}

// A row of activity, to which the server adds the purpose for a report.
type Row = [component: string, kind: string, name: string, share: number, busyNs: number, bytes: number, waitNs: number, queue: number, gbs: number, peer: string, purpose: string];

const isUnder = (name: string, part: string): boolean => part === '' || name === part || isIn(name, part);

// `wanted` is a part of the name, or a pattern (`*`, `?`) for the whole name; case is ignored.
export function fits(name: string, wanted: string): boolean {
  if (!/[*?]/.test(wanted)) return name.toLowerCase().includes(wanted.toLowerCase());
  const pattern = wanted.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.');
  return new RegExp(`^${pattern}$`, 'i').test(name);
}

// A report has all resources of a window, so that filtering, sorting and paging happen here instead of in the server.
function narrowed(rows: Row[], query: URLSearchParams): { total: number; rows: Row[] } {
  const value = (name: string): string => query.get(name) ?? '';
  const under = value('under'), name = value('name'), sort = value('sort'), kind = value('kind'), like = value('like');
  const found = rows.filter(([component, rowKind, , , , , , , , peer, purpose]) => (kind === '' || rowKind === kind) && (like === '' || purpose === like)
    && (isUnder(component, under) || (under !== '' && peer !== '' && isUnder(peer, under)))
    && (name === '' || fits(component, name) || fits(peer, name)));
  const column = { used: 3, bytes: 5, wait: 6, queue: 7 }[sort], direction = value('order') === 'asc' ? 1 : -1;
  const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  if (column !== undefined) found.sort((a, b) => direction * ((a[column] as number) - (b[column] as number)));
  if (sort === 'name') found.sort((a, b) => direction * (order(a[0], b[0]) || order(a[2], b[2])));
  const offset = Number(value('offset')), limit = value('limit') === '' ? found.length : Number(value('limit'));
  return { total: found.length, rows: found.slice(offset, offset + limit) };
}

async function narrowedActivity(path: string): Promise<unknown> {
  const query = new URLSearchParams(path.split('?')[1]);
  const all = inside.answers[keyOf(`/api/activity?t0=${query.get('t0') ?? ''}&t1=${query.get('t1') ?? ''}${query.get('kind') === 'state' ? '&kind=state' : ''}`)];
  return all === undefined ? undefined : narrowed((await unpacked(all).json()).rows, query);
}

// The number of requested pixels is ignored, because the answer contains its own.
export async function answerInside(path: string): Promise<Reply> {
  if (path.startsWith('/api/activity?')) {
    const rows = await narrowedActivity(path);
    if (rows !== undefined) return { json: async () => rows, arrayBuffer: async () => new ArrayBuffer(0) };
  }
  const packed = inside.answers[keyOf(path)] ?? inside.answers[keyOf(path, ['px', 'only'])];
  if (packed === undefined) throw new Error('This report does not have that; kernbench web DIR shows it.');
  return unpacked(packed);
}

// The smallest window that contains the request without its margins (a quarter of the visible window, on one or both sides).
export function windowInside(t0: bigint, t1: bigint): FixedWindow {
  const edge = (t1 - t0) / 5n, length = (one: FixedWindow): bigint => BigInt(one.t1) - BigInt(one.t0);
  const fitting = inside.windows.filter((one) => BigInt(one.t0) <= t0 + edge && t1 - edge <= BigInt(one.t1));
  const best = fitting.sort((a, b) => (length(a) < length(b) ? -1 : 1))[0];
  if (!best) throw new Error('This report has no timeline of that time; kernbench web DIR shows it.');
  return best;
}
