// The machine as a heat map: tray, SIP, cube and PE, in a window of time.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { fetchActivity, fetchCells, fetchMachine, fetchMachinePart, fetchProfile, fetchRoute, type MachineOverview, type Run } from './api';
import { href, replaceAddress } from './address';
import { Brush } from './brush';
import { heatColour, isDark } from './heat';
import { useAnswer } from './hooks';
import { MachineCanvas, largest } from './machine_canvas';
import { cubePicture, overviewPicture, pePicture, type Measure, type Picture, type Shape } from './machine_layout';
import { chipOf, partOf, pathOf, sipParts } from './nodes';
import { longestLaunch } from './overview';
import { bytesText, kernelSpan, KindChoice, kindIn, kindLabel, LaunchChoice, launchSpan, rateText, timelineOf, type Span } from './resources';
import { count, duration, fromNs, percent } from './time';

const MEASURES: [Measure, string][] = [['busy', 'busy time'], ['bytes', 'bytes'], ['rate', 'GB/s'], ['wait', 'waiting'], ['queue', 'queue']];
const LISTED = 14;

export function MachinePage({ run, values }: { run: Run; values: URLSearchParams }) {
  const machine = useAnswer(run.machine ? 'machine' : '', fetchMachine);
  if (!run.machine || !run.has_operations) {
    return <p class="message">This run has no {run.machine ? 'record of its resources' : 'topology.json'}; run it with <code>--record DIR</code> in place of <code>--out DIR</code>.</p>;
  }
  if (machine.failure) return <p class="message bad" role="alert">{machine.failure}</p>;
  if (!machine.value) return <p class="message" role="status">Reading the machine …</p>;
  return <Shown run={run} machine={machine.value} values={values} />;
}

const whole = (text: string | null): bigint | null => (text && /^\d{1,19}$/.test(text) ? BigInt(text) : null);

function spanOf(values: URLSearchParams): Span | null {
  const t0 = whole(values.get('t0')), t1 = whole(values.get('t1'));
  return t0 !== null && t1 !== null && t1 > t0 ? { t0, t1 } : null;
}

function Shown({ run, machine, values }: { run: Run; machine: MachineOverview; values: URLSearchParams }) {
  const chosen = run.launches.find(({ id }) => String(id) === values.get('launch'));
  const runEnd = fromNs(run.sim_time_ns);
  const fromAddress = spanOf(values);
  const around = run.launches.find((launch) => { const l = launchSpan(launch); return fromAddress && l && l.t0 <= fromAddress.t0 && fromAddress.t1 <= l.t1; });
  const launch = chosen ?? around ?? longestLaunch(run);
  const context: Span = values.get('context') === 'run' || (fromAddress && !around && !chosen) ? { t0: 0n, t1: runEnd > 0n ? runEnd : 1n } : launchSpan(launch) ?? { t0: 0n, t1: runEnd > 0n ? runEnd : 1n };
  const usual = values.get('context') === 'run' ? context : kernelSpan(launch) ?? context;
  const [drawn, setDrawn] = useState<{ values: URLSearchParams; span: Span } | null>(null);
  const span = drawn?.values === values ? drawn.span : fromAddress ?? usual;
  const [columns, setColumns] = useState(0);
  const at = partOf(values.get('at') ?? '')?.id ?? '';  // otherwise the tray
  const measure = MEASURES.find(([key]) => key === values.get('measure'))?.[0] ?? 'busy';
  const kind = kindIn(values);
  const state = { at, launch: values.get('launch') ?? undefined, context: values.get('context') ?? undefined, measure, kind, mark: values.get('mark') ?? undefined, op: values.get('op') ?? undefined, from: values.get('from') ?? undefined, to: values.get('to') ?? undefined };
  const to = (changed: Record<string, string | number | bigint | undefined>) => href('machine', { ...state, t0: span.t0, t1: span.t1, ...('at' in changed ? { mark: undefined } : {}), ...changed });

  useEffect(() => {
    const timer = setTimeout(() => replaceAddress(values, 'machine', { ...state, t0: span.t0, t1: span.t1 }), 200);
    return () => clearTimeout(timer);
  });
  const click = (shape: Shape) => { location.hash = (shape.go && shape.go !== at ? to({ at: shape.go }) : timelineOf(shape.id.split(/ /)[0], span)).slice(1); };
  const ns = Number(span.t1 - span.t0) / 1e6;
  const wanted = state.op ? `seq=${encodeURIComponent(state.op)}` : state.from && state.to ? `from=${encodeURIComponent(state.from)}&to=${encodeURIComponent(state.to)}` : '';
  const route = useAnswer(wanted, (signal) => fetchRoute(wanted, signal));
  const profile = useAnswer(columns > 0 ? `${context.t0} ${context.t1} ${columns} ${at}` : '', (signal) => fetchProfile(context.t0, context.t1, Math.min(1024, columns), at, signal));
  return (
    <div class="machine">
      <h1 class="unseen">Machine</h1>
      <div class="tools">
        <Path at={at} to={to} />
        <KindChoice label="Colour" all="the busiest resource" kind={kind} to={(one) => to({ kind: one })} />
        <span class="group" role="group" aria-label="Measure">
          {MEASURES.map(([key, label]) => <button type="button" aria-pressed={measure === key} onClick={() => { location.hash = to({ measure: key }); }}>{label}</button>)}
        </span>
        <LaunchChoice run={run} chosen={launch} to={(one) => href('machine', { ...state, context: undefined, launch: one.id })} />
        <a href={to({ context: 'run', t0: undefined, t1: undefined })} aria-current={values.get('context') === 'run' ? 'true' : undefined}>whole run</a>
      </div>
      <Brush whole={context} span={span} profile={profile.value} failure={profile.failure} choose={(next) => setDrawn({ values, span: next ?? context })} width={setColumns} />
      <Map machine={machine} at={at} span={span} ns={ns} measure={measure} kind={kind} marked={values.get('mark') ?? ''} click={click}
        route={wanted && route.key === wanted ? route.value ?? [] : []} up={() => { if (at) location.hash = to({ at: partOf(at)?.above?.id ?? '' }).slice(1); }} />
      <Hottest at={at} span={span} ns={ns} measure={measure} kind={kind}>
        {wanted && <RouteText nodes={route.key === wanted ? route.value ?? [] : []} failure={route.failure} what={state.op ? `operation ${state.op}` : 'a message'} none={to({ op: undefined, from: undefined, to: undefined })} />}
      </Hottest>
    </div>
  );
}

// The path from the tray to the shown part, and the parts below it.
export function Path({ at, to }: { at: string; to: (changed: Record<string, string | undefined>) => string }) {
  const parts = pathOf(at), below = partOf(at)?.below ?? sipParts();
  return (
    <nav class="path" aria-label="Part of the machine">
      <a href={to({ at: '' })} aria-current={parts.length === 0 ? 'true' : undefined}>tray</a>
      {parts.map(({ id, label }) => <><span class="dim">›</span><a href={to({ at: id })} aria-current={id === at ? 'true' : undefined}>{label}</a></>)}
      {below.length > 0 && (
        <select aria-label="Look into" value="" onChange={(event) => { location.hash = to({ at: (event.target as HTMLSelectElement).value }); }}>
          <option value="">look into …</option>
          {below.map(({ id, label }) => <option value={id}>{label}</option>)}
        </select>
      )}
    </nav>
  );
}

function RouteText({ nodes, failure, what, none }: { nodes: string[]; failure: string; what: string; none: string }) {
  return (
    <div class="route">
      <h2>Route of {what}</h2>
      {failure && <p class="bad" role="alert">{failure}</p>}
      {nodes.length > 0 && <p class="hint"><strong>{nodes[0]}</strong> → <strong>{nodes[nodes.length - 1]}</strong>, {count(nodes.length - 1)} wires</p>}
      {nodes.length > 2 && <details><summary>on the way</summary><ol>{nodes.map((node) => <li>{node}</li>)}</ol></details>}
      <p class="hint"><a href={none}>hide it</a></p>
    </div>
  );
}

const EMPTY: Picture = { width: 100, height: 100, shapes: [] };

function Map(props: { machine: MachineOverview; at: string; span: Span; ns: number; measure: Measure; kind: string; marked: string; route: string[]; click: (shape: Shape) => void; up: () => void }) {
  const { machine, at, span, measure, kind } = props;
  const level = partOf(at)?.level, cube = level && level !== 'sip' ? chipOf(at) : '';
  const window = `${span.t0} ${span.t1}`, query = cube ? `${window} ${cube}` : window;
  const overview = useAnswer(cube ? '' : query, (signal) => fetchCells(span.t0, span.t1, signal));
  const part = useAnswer(cube, (signal) => fetchMachinePart(cube, signal));
  const rows = useAnswer(cube ? query : '', (signal) => fetchActivity(`t0=${span.t0}&t1=${span.t1}&under=${encodeURIComponent(cube)}`, signal));
  // Each engine of a PE is busy in a state of its own.
  const states = useAnswer(level === 'pe' ? `${window} ${at}` : '', (signal) => fetchActivity(`t0=${span.t0}&t1=${span.t1}&under=${encodeURIComponent(at)}&kind=state`, signal));
  const picture = useMemo(() => {
    if (!cube) return overviewPicture(machine, at, overview.value?.cells ?? [], overview.value?.wires ?? [], kind, measure);
    if (!part.value || part.key !== cube) return EMPTY;
    const found = rows.key.endsWith(` ${cube}`) ? rows.value?.rows ?? [] : [];
    if (level === 'pe') return pePicture(part.value, at, machine, [...found, ...(states.value?.rows ?? [])]);
    return cubePicture(part.value, level === 'cube' ? machine.cube_mm : [12.5, 7], machine.channels_per_slice, found, kind, measure);
  }, [machine, at, overview.value, part.value, part.key, rows.value, rows.key, states.value, kind, measure]);
  const failure = overview.failure || part.failure || rows.failure || states.failure;
  const most = largest(picture, measure), dark = isDark();
  const scale = measure === 'busy' ? '100 %' : measure === 'bytes' ? bytesText(most) : measure === 'rate' ? rateText(most / props.ns) : measure === 'queue' ? `${count(most)} waiting` : duration(most * 1e6);
  return (
    <div class="machineview" aria-busy={!failure && (cube ? part.key !== cube || rows.key !== query : overview.key !== query)}>
      {failure && <p class="message bad" role="alert">{failure}</p>}
      <MachineCanvas picture={picture} measure={measure} ns={props.ns} marked={props.marked} route={props.route} click={props.click} up={props.up} />
      <p class="legend">
        <span>0 <svg class="scale" viewBox="0 0 50 10" preserveAspectRatio="none" aria-hidden="true">{Array.from({ length: 25 }, (_, i) => <rect x={i * 2} width="2.1" height="10" fill={heatColour(i / 24, dark)} />)}</svg> {scale}</span>
        <span>{cube ? 'Two wires run between two routers, one for each direction, on its right-hand side.' : 'A cube has its PEs in their corners; its own colour is that of its routers\u2019 wires.'}</span>
        <span>Click to look into a part; a block or a wire leads to the timeline. Keys: arrows, Enter, Escape.</span>
      </p>
    </div>
  );
}

function Hottest({ at, span, ns, measure, kind, children }: { at: string; span: Span; ns: number; measure: Measure; kind: string; children: ComponentChildren }) {
  const sort = measure === 'busy' ? 'used' : measure === 'rate' ? 'bytes' : measure;
  const query = `t0=${span.t0}&t1=${span.t1}&under=${encodeURIComponent(at)}&kind=${kind}&sort=${sort}&limit=${LISTED}`;
  const answer = useAnswer(query, (signal) => fetchActivity(query, signal));
  return (
    <aside class="hottest" aria-label="The hottest resources">
      {children}
      <h2>{answer.value ? `${count(answer.value.total)} ${answer.value.total === 1 ? 'resource' : 'resources'} in use` : 'Resources'}</h2>
      {at && <p class="hint"><a href={timelineOf(at, span)}>timeline of {at}</a></p>}
      <ol>
        {answer.value?.rows.map((row) => (
          <li>
            <a href={timelineOf(row.component, span)}>{row.component}{row.peer ? ` → ${row.peer}` : ` ${row.name}`}</a>
            <span class="dim">{kindLabel(row.kind)}, {percent(row.share)} busy{row.bytes > 0 && `, ${rateText(row.bytes / ns)}`}{row.waitNs > 0 && `, ${duration(row.waitNs * 1e6)} waited`}{row.queue > 0 && `, queue ${count(row.queue)}`}</span>
          </li>
        ))}
      </ol>
    </aside>
  );
}
