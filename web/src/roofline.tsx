// Performance of launches compared with the limits of engines and memory of their PEs.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { launchName, fetchMachine, fetchOperations, fetchWork, type Launch, type MachineOverview, type Rows, type Run, type Work } from './api';
import { href } from './address';
import { isReport } from './answers';
import { useAnswer, useSize } from './hooks';
import { cellOf } from './nodes';
import { longestLaunch } from './overview';
import { textWidth } from './picture';
import { bytesText, kernelSpan, launchSpan, rateText, type Span } from './resources';
import { Section, Swatch } from './section';
import { FAMILY, sizes } from './sizes';
import { count, duration, percent } from './time';
import { colourOf, ENGINES, labelOf, LEVELS } from './words';

const MOST_LAUNCHES = 12, MOST_COMPOSITES = 8;
const HBM = 'HBM', OTHER = '#888888';
interface Level { name: string; bytes: number; gbs: number }
// `bytes` and `memory` are those of HBM; `levels` are the others.
interface Point { levels: Level[]; launch: Launch; engine: string; ops: number; ns: number; bytes: number; pes: number; peak: number; memory: number; padded: number }
interface Worked { launch: Launch; span: Span; work: Work; all: boolean }  // `all`: including its operations

const engineName = ({ engine }: Point): string => labelOf(ENGINES, engine);
const engineColour = ({ engine }: Point): string => colourOf(ENGINES, engine) ?? OTHER;
const intensity = (p: Point): number => p.ops / p.bytes;
const rate = (p: Point): number => p.ops / p.ns;  // operations per ns: 10^9 a second
// The limit of the engines or of a level of the memory, and its name.
const bounds = (p: Point): [name: string, rate: number][] => [[`the ${engineName(p)} engines`, p.peak], [HBM, intensity(p) * p.memory], ...p.levels.map((one): [string, number] => [one.name, (p.ops / one.bytes) * one.gbs])];
const bound = (p: Point) => bounds(p).reduce((least, one) => (one[1] < least[1] ? one : least));
const roof = (p: Point): number => bound(p)[1];
const hbmOf = (work: Work): Level => { const [name, bytes, gbs] = work.levels.find(([one]) => one === HBM) ?? [HBM, 0, 0]; return { name, bytes, gbs }; };
const rateOf = (perNs: number): string => (perNs >= 1000 ? `${Number((perNs / 1000).toPrecision(3))} Tops/s` : `${Number(perNs.toPrecision(3))} Gops/s`);

// From submission to completion, because the last write may arrive after the end of the kernel.
function whole(launch: Launch, kernel: Span): [bigint, bigint] {
  const span = launchSpan(launch) ?? kernel;
  return [span.t0, span.t1];
}

// While operations are being added up, the products of the launch are known from the result.
function pointsOf({ launch, span, work, all }: Worked, { engines }: MachineOverview): Point[] {
  const ns = Number(span.t1 - span.t0) / 1e6, products = engines.find(({ unit }) => unit === 'MAC');
  const hbm = hbmOf(work), levels = work.levels.filter(([name]) => name !== HBM).map(([name, bytes, gbs]) => ({ name, bytes, gbs }));
  return work.engines.map(({ name, done, padded, peak }) => {
    const perMac = name === products?.name ? products.operations_per_unit : 0;
    return { launch, ns, bytes: hbm.bytes, pes: work.pes, memory: hbm.gbs, levels, engine: name, peak, ops: all ? done : perMac * launch.useful_macs, padded: Math.max(padded, perMac * launch.macs) };
  }).filter((p) => p.ops > 0 && p.bytes > 0 && p.peak > 0 && p.memory > 0);
}

interface Composite { seq: number; pe: string; ops: number; ns: number; bytes: number; to: string }

// The longest composites of a launch, with the computations and reads of the PE in that time.
async function fetchComposites(launch: Launch, span: Span, signal: AbortSignal): Promise<Composite[]> {
  const query = new URLSearchParams({ component: `sip${launch.sip}.*pe_scheduler`, name: 'composite', t0: String(span.t0), t1: String(span.t1), sort: 'duration', order: 'desc', limit: String(MOST_COMPOSITES) });
  const found: Composite[] = [];
  for (const op of (await fetchOperations(query.toString(), signal)).rows) {
    const pe = cellOf(op.component), t0 = BigInt(op.start_fs), t1 = BigInt(op.end_fs);
    if (t1 <= t0) continue;
    const work = await fetchWork(t0, t1, pe, signal);
    const ops = work.engines.reduce((sum, { done }) => sum + done, 0);
    const { bytes } = hbmOf(work);
    if (ops > 0 && bytes > 0) found.push({ seq: op.seq, pe, ops, ns: Number(t1 - t0) / 1e6, bytes, to: href('timeline', { t0, t1, depth: 9, op: op.seq }) });
  }
  return found;
}

// One launch after the other, the selected one first, because each may have many operations.
function useWork(launches: { launch: Launch; span: Span }[], wanted: string | null): { worked: Worked[]; failure: string } {
  const [worked, setWorked] = useState<Worked[]>([]);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    const ended = new AbortController();
    const first = launches.filter(({ launch }) => String(launch.id) === wanted);
    const put = (one: Worked) => setWorked((before) => [...before.filter(({ launch }) => launch !== one.launch), one]);
    const work = async () => {
      const front = first[0] ?? launches[0];  // its products are in the result, so that a picture is available immediately
      if (front) put({ ...front, all: false, work: await fetchWork(...whole(front.launch, front.span), `sip${front.launch.sip}`, ended.signal, 'resources') });
      for (const { launch, span } of [...first, ...launches.filter((one) => !first.includes(one))]) {
        const one = fetchWork(...whole(launch, span), `sip${launch.sip}`, ended.signal);
        const work = await (isReport ? one.catch(() => null) : one);  // a report has those of some
        if (work) put({ launch, span, all: true, work });
      }
    };
    work().catch((error) => { if (!ended.signal.aborted) setFailure(error instanceof Error ? error.message : String(error)); });
    return () => ended.abort();
  }, [launches]);
  return { worked, failure };
}

export function Roofline({ run, rows, values }: { run: Run; rows: Rows | null; values: URLSearchParams }) {
  const machine = useAnswer(run.machine && run.has_operations ? 'machine' : '', fetchMachine);
  const launches = useMemo(() => (run.has_operations ? [...run.launches] : []).map((launch) => ({ launch, span: kernelSpan(launch) })).filter((one): one is { launch: Launch; span: Span } => one.span !== null)
    .sort((a, b) => Number(b.span.t1 - b.span.t0 - (a.span.t1 - a.span.t0))).slice(0, MOST_LAUNCHES), [run]);
  const { worked, failure: workFailure } = useWork(launches, values.get('launch'));
  const front = worked.find(({ launch }) => String(launch.id) === values.get('launch')) ?? worked.find(({ launch }) => launch.id === longestLaunch(run)?.id) ?? worked[0];
  const composites = useAnswer(front?.all && rows ? `${front.launch.id}` : '', (signal) => fetchComposites(front.launch, front.span, signal));
  if (!run.machine || !run.has_operations) {
    return <p class="message">This run has no {run.machine ? 'operations' : 'topology.json'}; run it with <code>--record DIR</code> in place of <code>--out DIR</code>.</p>;
  }
  const failure = machine.failure || workFailure;
  if (failure) return <p class="message bad" role="alert">{failure}</p>;
  if (launches.length === 0) return <p class="message">No PE ran a kernel.</p>;
  if (!machine.value || worked.length === 0 || !rows) return <p class="message" role="status">Adding up the operations …</p>;
  const points = worked.flatMap((one) => pointsOf(one, machine.value!));
  const chosen = front;
  return (
    <>
      <h1 class="unseen">Roofline</h1>
      <Section title="Roofline" hint="What the longest kernels compute for each byte that the HBM channels of their PEs move, and how fast. A product counts twice its multiply-accumulates, without padding; other operations count elements times passes. Rings: the same per byte of the other levels of the memory, each below its own slope. Diamonds: composites.">
        {points.length === 0 ? <p class="hint">No kernel computed from data in HBM.</p> : <Chart points={points} chosen={chosen.launch} composites={composites.value ?? []} />}
        {points.length > 0 && <Distances points={points} chosen={chosen.launch} />}
        {points.some(({ launch }) => launch === chosen.launch) && <Levels points={points.filter(({ launch }) => launch === chosen.launch)} />}
      </Section>
      <Operations worked={chosen} rows={rows} machine={machine.value} />
    </>
  );
}

// In pixels of a normal screen.
const LEAST_HEIGHT = 300, MOST_HEIGHT = 620, ASPECT = 0.43, FONT = 12;

const below = (value: number): number => Math.floor(Math.log10(value));

function Chart(props: { points: Point[]; chosen: Launch; composites: Composite[] }) {
  const box = useRef<HTMLDivElement>(null), { width } = useSize(box);
  return <div class="rooflinebox" ref={box}>{width > 0 && <Plot {...props} width={width} />}</div>;
}

function Plot({ points, chosen, composites, width }: { points: Point[]; chosen: Launch; composites: Composite[]; width: number }) {
  const px = (usual: number) => Math.round(usual * sizes.scale);
  const height = Math.round(Math.max(px(LEAST_HEIGHT), Math.min(px(MOST_HEIGHT), width * ASPECT))), font = px(FONT);
  const left = px(56), right = width - px(20), top = px(16), bottom = height - px(44);
  const shown = points.filter(({ launch }) => launch === chosen);
  const roofs = shown.length > 0 ? shown : points;
  const memory = Math.max(...roofs.map((p) => p.memory)), peak = Math.max(...roofs.map((p) => p.peak));
  const xs = [...points.map(intensity), ...roofs.map((p) => p.peak / p.memory), ...shown.flatMap((p) => p.levels.flatMap((one) => [p.ops / one.bytes, p.peak / one.gbs])), ...composites.map((one) => one.ops / one.bytes)], ys = [...points.map(rate), ...composites.map((one) => one.ops / one.ns), peak];
  const x0 = below(Math.min(...xs) / 1.5), x1 = below(Math.max(...xs) * 3) + 1, y0 = below(Math.min(...ys) / 1.5), y1 = below(peak * 1.2) + 1;
  const x = (value: number) => left + ((Math.log10(value) - x0) / (x1 - x0)) * (right - left);
  const y = (value: number) => bottom - ((Math.log10(value) - y0) / (y1 - y0)) * (bottom - top);
  const decades = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const power = (e: number) => (e >= 0 && e < 5 ? String(10 ** e) : e < 0 && e > -4 ? (10 ** e).toFixed(-e) : `1e${e}`);
  const least = 10 ** x0, low = 10 ** y0;
  const slopeOf = (gbs: number): [number, number][] => [[Math.max(least, low / gbs), Math.max(low, least * gbs)], [peak / gbs, peak]];
  const slope = slopeOf(memory);
  // The label of HBM lies below its slope, where no flat roof has its own.
  const along = (share: number) => ({ x: x(slope[0][0]) + (x(slope[1][0]) - x(slope[0][0])) * share + font, y: y(slope[0][1]) + (y(slope[1][1]) - y(slope[0][1])) * share + font * 1.5 });
  const memoryLabel = along([0.5, 0.35, 0.65].find((share) => roofs.every((p) => Math.abs(along(share).y - y(p.peak) + font * 0.5) > font * 1.2)) ?? 0.5);
  const levels = roofs[0]?.levels ?? [];
  return (
    <svg class="roofline" width={width} height={height} viewBox={`0 0 ${width} ${height}`} font-size={font} role="img" aria-label={points.map((p) => `${launchName(p.launch)} ${engineName(p)}: ${percent(rate(p) / roof(p))} of its roof`).join('; ')}>
      {decades(x0, x1).map((e) => <g><line class="grid" x1={x(10 ** e)} x2={x(10 ** e)} y1={top} y2={bottom} /><text x={x(10 ** e)} y={bottom + font * 1.5} text-anchor="middle">{power(e)}</text></g>)}
      {decades(y0, y1).map((e) => <g><line class="grid" x1={left} x2={right} y1={y(10 ** e)} y2={y(10 ** e)} /><text x={left - font * 0.6} y={y(10 ** e) + font * 0.35} text-anchor="end">{power(e - 3)}</text></g>)}
      <text x={(left + right) / 2} y={height - font * 0.5} text-anchor="middle">operations per byte of HBM</text>
      <text x={font * 1.2} y={(top + bottom) / 2} text-anchor="middle" transform={`rotate(-90 ${font * 1.2} ${(top + bottom) / 2})`}>Tops/s</text>
      <line class="roof" x1={x(slope[0][0])} y1={y(slope[0][1])} x2={x(slope[1][0])} y2={y(slope[1][1])} />
      <text class="rooflabel" x={memoryLabel.x} y={memoryLabel.y}>{`HBM ${rateText(memory)}`}</text>
      {levels.map((one, i) => {
        const [from, to] = slopeOf(one.gbs);
        const at = 0.8 - 0.13 * i, label = `${one.name} ${rateText(one.gbs)}`;
        const end = Math.max(x(from[0]) + (x(to[0]) - x(from[0])) * at - font * 0.5, left + textWidth(label, `${font}px ${FAMILY}`)), above = y(from[1]) + (y(to[1]) - y(from[1])) * at - font * 0.5;
        return (
          <g>
            <line class="roof level" x1={x(from[0])} y1={y(from[1])} x2={x(to[0])} y2={y(to[1])} stroke={colourOf(LEVELS, one.name) ?? OTHER} />
            <text class="rooflabel" x={end} y={above} text-anchor="end">{label}</text>
            {shown.map((p) => <circle class="ring" cx={x(p.ops / one.bytes)} cy={y(rate(p))} r={px(9 + 2 * i)} fill="none" stroke={colourOf(LEVELS, one.name) ?? OTHER} stroke-width="2"><title>{`${launchName(p.launch)} ${engineName(p)}: ${Number((p.ops / one.bytes).toPrecision(3))} operations per byte of ${one.name} (${bytesText(one.bytes)}); ${percent(one.bytes / p.ns / one.gbs)} of its ${rateText(one.gbs)}`}</title></circle>)}
          </g>
        );
      })}
      {roofs.map((p) => (
        <g>
          <line class="roof" x1={x(p.peak / p.memory)} y1={y(p.peak)} x2={right} y2={y(p.peak)} stroke={engineColour(p)} />
          <text class="rooflabel" x={right - font * 0.3} y={y(p.peak) - font * 0.5} text-anchor="end">{`${engineName(p)} ${rateOf(p.peak)} on ${count(p.pes)} ${p.pes === 1 ? 'PE' : 'PEs'}`}</text>
        </g>
      ))}
      {points.map((p) => {
        const colour = engineColour(p), cx = x(intensity(p)), mine = p.launch === chosen;
        return (
          <g opacity={mine ? 1 : 0.55}>
            {mine && <line class="distance" x1={cx} x2={cx} y1={y(rate(p))} y2={y(roof(p))} />}
            {p.padded > p.ops * 1.01 && <circle cx={x(p.padded / p.bytes)} cy={y(p.padded / p.ns)} r={px(5)} fill="none" stroke={colour}><title>with padding: {rateOf(p.padded / p.ns)}</title></circle>}
            <a href={href('roofline', { launch: p.launch.id })}>
              <circle cx={cx} cy={y(rate(p))} r={px(mine ? 7 : 5)} fill={colour}><title>{`${launchName(p.launch)} ${engineName(p)}: ${rateOf(rate(p))} at ${Number(intensity(p).toPrecision(3))} operations per byte, ${percent(rate(p) / roof(p))} of its roof`}</title></circle>
            </a>
          </g>
        );
      })}
      {composites.map((one) => (
        <a href={one.to}><rect class="composite" x={x(one.ops / one.bytes) - px(4)} y={y(one.ops / one.ns) - px(4)} width={px(8)} height={px(8)} transform={`rotate(45 ${x(one.ops / one.bytes)} ${y(one.ops / one.ns)})`}><title>{`composite ${one.seq} on ${one.pe}: ${rateOf(one.ops / one.ns)} at ${Number((one.ops / one.bytes).toPrecision(3))} operations per byte, ${duration(one.ns * 1e6)}`}</title></rect></a>
      ))}
    </svg>
  );
}

function Distances({ points, chosen }: { points: Point[]; chosen: Launch }) {
  return (
    <div class="scrollx"><table class="data">
      <thead><tr><th scope="col">kernel</th><th scope="col">engine</th><th scope="col" class="number">operations per byte</th><th scope="col" class="number">reached</th><th scope="col" class="number">roof</th><th scope="col" class="number">of it</th><th scope="col">roof is that of</th><th scope="col" class="number">HBM</th><th scope="col" class="number">of its rate</th><th scope="col" class="number">padding</th></tr></thead>
      <tbody>
        {points.map((p) => (
          <tr>
            <th scope="row"><a href={href('roofline', { launch: p.launch.id })} aria-current={p.launch === chosen ? 'true' : undefined}>{launchName(p.launch)}</a></th>
            <td><Swatch colour={engineColour(p)} /> {engineName(p)}</td>
            <td class="number">{Number(intensity(p).toPrecision(3))}</td><td class="number">{rateOf(rate(p))}</td><td class="number">{rateOf(roof(p))}</td><td class="number">{percent(rate(p) / roof(p))}</td>
            <td>{bound(p)[0]}</td>
            <td class="number">{bytesText(p.bytes)}</td><td class="number">{percent(p.bytes / p.ns / p.memory)}</td>
            <td class="number">{p.padded > p.ops * 1.001 ? percent(1 - p.ops / p.padded) : ''}</td>
          </tr>
        ))}
      </tbody>
    </table></div>
  );
}

// For each level of the memory, the bytes moved and the rate of the engines at its full bandwidth.
function Levels({ points }: { points: Point[] }) {
  return (
    <div class="scrollx"><table class="data">
      <caption class="unseen">Levels of the memory</caption>
      <thead><tr><th scope="col">level</th><th scope="col">engine</th><th scope="col" class="number">bytes</th><th scope="col" class="number">rate</th><th scope="col" class="number">roof</th><th scope="col" class="number">of it</th><th scope="col" class="number">operations per byte</th><th scope="col" class="number">could feed</th></tr></thead>
      <tbody>
        {points.flatMap((p) => [{ name: HBM, bytes: p.bytes, gbs: p.memory }, ...p.levels].map((one) => (
          <tr>
            <th scope="row"><Swatch colour={colourOf(LEVELS, one.name) ?? 'var(--accent)'} /> {one.name}</th><td>{engineName(p)}</td><td class="number">{bytesText(one.bytes)}</td><td class="number">{rateText(one.bytes / p.ns)}</td>
            <td class="number">{rateText(one.gbs)}</td><td class="number">{percent(one.bytes / p.ns / one.gbs)}</td><td class="number">{Number((p.ops / one.bytes).toPrecision(3))}</td><td class="number">{rateOf((p.ops / one.bytes) * one.gbs)}</td>
          </tr>
        )))}
      </tbody>
    </table></div>
  );
}

// Rate of an engine while it works, for each kind of operation.
function Operations({ worked, rows, machine }: { worked: Worked; rows: Rows; machine: MachineOverview }) {
  const ns = Number(worked.span.t1 - worked.span.t0) / 1e6;
  const list = [...worked.work.operations].sort((a, b) => b.busyNs - a.busyNs);
  if (list.length === 0) return null;
  return (
    <Section title={`Operations of ${launchName(worked.launch)}`} hint="While an engine works on one. What an engine does not reach then is padding, or an operation too small for it; what it reaches then and not over the kernel is time in which it waits.">
      <div class="scrollx"><table class="data">
        <thead><tr><th scope="col">operation</th><th scope="col">engine</th><th scope="col" class="number">how many</th><th scope="col" class="number">time of engines</th><th scope="col" class="number">share of the kernel</th><th scope="col" class="number">rate meanwhile</th><th scope="col" class="number">of the engine's</th></tr></thead>
        <tbody>
          {list.map((one) => {
            const { name, engine: by } = rows.operations[one.operation] ?? { name: '?', engine: '' }, engine = machine.engines.find((row) => row.name === by);
            const operations = (engine?.operations_per_unit ?? 0) * (engine?.unit === 'MAC' ? one.usefulMacs : one.elements);
            const peak = (worked.work.engines.find((row) => row.name === by)?.peak ?? 0) / Math.max(1, worked.work.pes);
            return (
              <tr>
                <th scope="row">{name}</th><td>{engine?.label}</td><td class="number">{count(one.count)}</td><td class="number">{duration(one.busyNs * 1e6)}</td>
                <td class="number">{percent(one.busyNs / ns / Math.max(1, worked.work.pes))}</td><td class="number">{engine && rateOf(operations / one.busyNs)}</td><td class="number">{peak > 0 ? percent(operations / one.busyNs / peak) : ''}</td>
              </tr>
            );
          })}
        </tbody>
      </table></div>
    </Section>
  );
}
