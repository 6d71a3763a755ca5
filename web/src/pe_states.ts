// Time shares of PEs during a kernel.
import type { Resource } from './api';
import { cellOf } from './nodes';
import { STATES } from './words';


export interface PeTime { pe: string; parts: number[] }  // ns, in the order of STATES

export function peTimes(rows: Resource[]): PeTime[] {
  const pes = new Map<string, number[]>();
  for (const row of rows) {
    const at = STATES.findIndex(({ name }) => name === row.name);
    if (at < 0) continue;
    const pe = cellOf(row.component);
    const parts = pes.get(pe) ?? STATES.map(() => 0);
    parts[at] += row.busyNs;
    pes.set(pe, parts);
  }
  return [...pes].map(([pe, parts]) => ({ pe, parts }));
}
