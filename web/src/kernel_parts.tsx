// What the tables of the page Kernel share: bars, lines, waits and resources.
import { href } from './address';
import type { Launch, Operation, Run } from './api';
import { callText, lineKey, lineText, mostWaited, placeOf, type Place, type Sums } from './kernel_lines';
import { chipOf, resourceOf } from './nodes';
import { bytesText, machineOf, type Span } from './resources';
import { duration, percent } from './time';
import { colourOf, KINDS, labelOf, STATES } from './words';

// What is shown: a launch, or all launches of a kernel.
export interface Chosen { run: Run; kernel: string; launch: Launch | undefined; span: Span | null; range: string; whole: number }

type Values = Record<string, string | undefined>;

export const kernelHref = ({ kernel, launch, range }: Pick<Chosen, 'kernel' | 'launch' | 'range'>, more: Values = {}): string =>
  href('kernel', { ...(launch ? { launch: launch.id } : { kernel }), range, ...more });

// The page of a kernel: that of its launch where there is one.
export function hrefOfKernel(run: Run, kernel: string, more: Values = {}): string {
  const several = (run.kernels.find((one) => one.kernel === kernel)?.launches ?? 0) > 1;
  return kernelHref({ kernel, launch: several ? undefined : run.launches.find((launch) => launch.kernel === kernel), range: '' }, more);
}

export const lineHref = (chosen: Chosen, place: Place): string => kernelHref(chosen, { range: '', line: lineKey(place) });

export const operationsHref = ({ launch }: Chosen, line: string): string =>
  href('tables', { line, t0: launch?.submit_fs, t1: launch?.completed_fs ?? undefined, sort: 'start' });

// The line that issued an operation; it leads to the launch that ran then.
export function PlaceLink({ op, run }: { op: Operation; run: Run }) {
  if (!op.place) return null;
  const place = placeOf(op.place), start = BigInt(op.start_fs);
  const launch = run.launches.find(({ submit_fs: from, completed_fs: to }) => BigInt(from) <= start && to !== null && start <= BigInt(to));
  const text = `${callText(place)}${place.tensor && ` ${place.tensor}`}`;
  return launch ? <a href={href('kernel', { launch: launch.id, line: lineKey(place) })} title={place.range}>{text}</a> : <>{text}</>;
}

// "exposed DMA 76 %, DMA channel busy 24 %"
export const sharesText = (shares: Map<string, number>, ns: number): string =>
  [...shares].filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]).map(([name, time]) => `${labelOf(STATES, name)} ${percent(time / ns)}`).join(', ');

// The length is the time on the PE that ended last; the colours are what it did.
export function TimeBar({ sums, longest }: { sums: Sums; longest: number }) {
  let x = 0;
  return (
    <svg class="linebar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={sharesText(sums.shares, sums.ns)}>
      <title>{sharesText(sums.shares, sums.ns)}</title>
      {STATES.filter(({ name }) => (sums.shares.get(name) ?? 0) > 0).map(({ name, colour }) => {
        const width = ((sums.shares.get(name) ?? 0) / longest) * 1000, from = x;
        x += width;
        return <rect x={from} y="0" width={width} height="10" fill={colour || colourOf(STATES, name)} />;
      })}
    </svg>
  );
}

// The cells of time, as in TIME_HEADS.
export const TIME_HEADS = <><th scope="col">PE did</th><th scope="col" class="number">%</th><th scope="col" class="number">time</th></>;
export function TimeCells({ sums, chosen, longest }: { sums: Sums | undefined; chosen: Chosen; longest: number }) {
  if (!sums || sums.ns === 0) return <><td /><td class="number" /><td class="number" /></>;
  return <><td class="bars"><TimeBar sums={sums} longest={longest} /></td><td class="number">{percent(sums.ns / chosen.whole)}</td><td class="number">{duration(sums.ns * 1e6)}</td></>;
}

export function HeldBy({ sums, chosen }: { sums: Sums; chosen: Chosen }) {
  const held = [...sums.held].sort((a, b) => b[1] - a[1]);
  return (
    <>{held.map(([place, ns], i) => (
      <>{i > 0 && ', '}<a href={lineHref(chosen, place)} title={`${callText(place) || 'the end of the kernel'}: ${duration(ns * 1e6)}`}>{place.line > 0 ? lineText(place) : 'the end'}</a>{place.tensor && ` ${place.tensor}`}</>
    ))}</>
  );
}

// `short` leaves out the SIP and the cube.
export function AtResource({ name, span, short }: { name: string; span: Span | null; short?: boolean }) {
  const [block, resource] = resourceOf(name);
  if (!block) return <>{name}</>;
  const full = resource.startsWith('to_') ? `${block} → ${resource.slice(3)}` : `${block} ${resource}`;
  const chip = `${chipOf(block)}.`, text = short ? full.split(chip).join('') : full;
  return <a href={machineOf(block, span, full)} title={`${full}: show it in the machine`}>{text}</a>;
}

export const waitsText = ({ waits }: Sums): string => [...waits].sort((a, b) => b[1] - a[1]).map(([role, ns]) => `${labelOf(KINDS, role)} ${duration(ns * 1e6)}`).join(', ');

// The cells of transfers, as in USE_HEADS.
export const USE_HEADS = <><th scope="col" class="number">bytes</th><th scope="col">waited for, most at</th></>;
export function UseCells({ sums, chosen }: { sums: Sums | undefined; chosen: Chosen }) {
  const most = sums && mostWaited(sums);
  return (
    <>
      <td class="number bytes">{sums && sums.bytes > 0 ? bytesText(sums.bytes) : null}</td>
      <td class="at" title={sums && waitsText(sums)}>{most ? <>{labelOf(KINDS, most.role)} {duration(most.ns * 1e6)}{most.at && <>, <AtResource name={most.at} span={chosen.span} short /></>}</> : null}</td>
    </>
  );
}

export const longestOf = (all: Iterable<Sums>): number => Math.max(1e-6, ...[...all].map(({ ns }) => ns));
