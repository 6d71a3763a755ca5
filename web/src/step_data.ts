// A step of a model, as `kernbench model step --out` wrote it.
import { json } from './api';
import type { EnergyTotal } from './energy';

export interface StepRow {
  op: string; kernel: string; count: number; ns: number; least_ns: number; most_ns: number; share: number; roofline_ns: number; limiter: string;
  flop: number; weight_bytes: number; memory_bytes: number; link_bytes: number; each_fs: number[]; energy?: { fj: number; low_fj: number; high_fj: number };
}
export interface Step {
  model: string; machine: string; dtype: string; phase: string; batch: string; tokens: number; tp: number; dp: number; tpot_ns?: number; ttft_ns?: number;
  gaps_ns: number; host_ns: number; tokens_per_s: number; roofline_ns: number; roofline_share: number; by_op: StepRow[];
  memory: { weight_bytes: number; cache_bytes: number; taken_bytes: number; there_bytes: number };
  memo: { simulated: number; known: number };
  sample?: { layers: number; of_layers: number; layer_least_ns: number; layer_mean_ns: number; layer_most_ns: number };
  approximations: string[];
  energy?: EnergyTotal & { fj_per_token: number; nobodys: { fj: number; low_fj: number; high_fj: number } };
  config?: Record<string, string>;  // of the machine: all keys
}
export interface Steps { step: Step; against: Step | null; against_name: string }
export const fetchSteps = (signal: AbortSignal) => json<Steps>('/api/step', signal);

export const timeOf = (step: Step): number => step.tpot_ns ?? step.ttft_ns ?? 0;

// Launches, the gaps between them and the host: together the step.
export interface Part { name: string; kernel: string; ns: number; row: StepRow | null }
export function partsOf(step: Step): Part[] {
  const parts = step.by_op.map((row): Part => ({ name: row.op, kernel: row.kernel || 'sum over SIPs', ns: row.ns, row }));
  return [...parts, { name: '(gaps)', kernel: 'between launches', ns: step.gaps_ns, row: null }, { name: '(host)', kernel: '', ns: step.host_ns, row: null }];
}

// Times in fs by layer of the launches that each layer has; no layers when fewer than two are alike.
export interface Layers { count: number; rows: { op: string; fs: number[] }[]; sums: number[] }
export function layersOf(step: Step): Layers {
  const votes = new Map<number, number>();
  for (const { each_fs: each } of step.by_op) if (each.length > 1) votes.set(each.length, (votes.get(each.length) ?? 0) + 1);
  const length = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0]?.[0] ?? 0;
  // An all-reduce may be launched twice in a layer.
  const rows = step.by_op.filter(({ each_fs: each }) => length > 0 && each.length > 0 && each.length % length === 0).map(({ op, each_fs: each }) => {
    const times = each.length / length;
    return { op, fs: Array.from({ length }, (_, layer) => each.slice(layer * times, (layer + 1) * times).reduce((a, b) => a + b, 0)) };
  });
  return { count: length, rows, sums: Array.from({ length }, (_, layer) => rows.reduce((sum, { fs }) => sum + fs[layer], 0)) };
}
