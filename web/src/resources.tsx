// Names of resources, and links from them to other pages.
import type { ComponentChildren } from 'preact';
import { launchName, type Launch, type Run } from './api';
import { href } from './address';
import type { Resource } from './api';
import { cellOf, nodeOf, partOf, pathOf } from './nodes';
import { KINDS, labelOf } from './words';

export interface Span { t0: bigint; t1: bigint }

// Time from submission to completion; null when the launch has not ended.
export function launchSpan(launch: Launch | undefined): Span | null {
  if (!launch?.submit_fs || !launch.completed_fs) return null;
  const t0 = BigInt(launch.submit_fs), t1 = BigInt(launch.completed_fs);
  return t1 > t0 ? { t0, t1 } : null;
}

// While its kernel ran.
export function kernelSpan(launch: Launch | undefined): Span | null {
  if (!launch?.start_fs) return null;
  const t0 = BigInt(launch.start_fs), t1 = t0 + BigInt(Math.round(launch.pe_exec_ns.max * 1e6));
  return t1 > t0 ? { t0, t1 } : null;
}

// Link to the timeline with this block unfolded.
export function timelineOf(node: string, span: Span | null): string {
  const names = pathOf(node).map(({ id }) => id);
  // An HBM slice is shown in the row of its PE.
  if (nodeOf(node)?.kind !== 'hbm_ctrl' && names[names.length - 1] !== node) names.push(node);
  return href('timeline', { t0: span?.t0, t1: span?.t1, depth: 0, rows: names.join(','), row: names[names.length - 1] });
}

// Link to the part of the machine that contains it; `mark` is the name of the block or wire to mark.
export const machineOf = (node: string, span: Span | null, mark = ''): string => href('machine', { at: cellOf(node), t0: span?.t0, t1: span?.t1, mark });

export function ResourceName({ resource, span }: { resource: Resource; span: Span | null }) {
  const { peer } = resource;
  const full = peer ? `${resource.component} → ${peer}` : `${resource.component} ${resource.name}`;
  return <a href={machineOf(resource.component, span, full)} title="Show it in the machine">{full}</a>;
}

// Names of blocks in a sentence become links to the machine.
export function Linked({ text, span }: { text: string; span: Span | null }): ComponentChildren {
  const words = text.split(/([\w.-]*\w)/);
  return <>{words.map((word) => (nodeOf(word) ?? partOf(word) ? <a href={machineOf(word, span)}>{word}</a> : word))}</>;
}

// "HBM channel"; the labels of kinds are plurals.
export const kindLabel = (kind: string): string => labelOf(KINDS, kind).replace(/s$/, '');
// The chosen kind of resource; empty for all.
export const kindIn = (values: URLSearchParams): string => KINDS.find(({ name }) => name === values.get('kind'))?.name ?? '';

export function KindChoice({ label, all, kind, to }: { label: string; all: string; kind: string; to: (kind: string) => string }) {
  return (
    <label>{label}{' '}
      <select value={kind} onChange={(event) => { location.hash = to((event.target as HTMLSelectElement).value); }}>
        <option value="">{all}</option>
        {KINDS.map(({ name, label: text }) => <option value={name}>{text}</option>)}
      </select>
    </label>
  );
}

export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let at = 0;
  while (bytes >= 1024 && at < units.length - 1) { bytes /= 1024; ++at; }
  return `${at === 0 ? Math.round(bytes) : Number(bytes.toPrecision(4))} ${units[at]}`;
}

export const rateText = (gbs: number): string => `${Number(gbs.toPrecision(3))} GB/s`;

export function LaunchChoice({ run, chosen, to }: { run: Run; chosen: Launch | undefined; to: (launch: Launch) => string }) {
  return (
    <label>Launch{' '}
      <select value={String(chosen?.id ?? '')} onChange={(event) => {
        const launch = run.launches.find(({ id }) => String(id) === (event.target as HTMLSelectElement).value);
        if (launch) location.hash = to(launch);
      }}>
        {run.launches.slice(0, 500).map((launch) => <option value={String(launch.id)}>{launchName(launch)}</option>)}
      </select>
    </label>
  );
}
