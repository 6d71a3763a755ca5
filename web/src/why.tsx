// Why a run takes its time: the measured ladder, findings, the time of each PE, and busy or contended resources.
import { useEffect, useRef, useState } from 'preact/hooks';
import { launchName, fetchActivity, fetchClasses, type Launch, type Rows, type Run, type State } from './api';
import { href } from './address';
import { Findings } from './findings';
import { useAnswer, useSize } from './hooks';
import { Ladder } from './ladder';
import { longestLaunch, part, total } from './overview';
import { peTimes, type PeTime } from './pe_states';
import { STATES } from './words';
import { prepare, theme } from './picture';
import { bytesText, kernelSpan, KindChoice, kindIn, kindLabel, LaunchChoice, machineOf, rateText, ResourceName, timelineOf, type Span } from './resources';
import { Section, Swatch } from './section';
import { sizes } from './sizes';
import { count, duration, percent } from './time';
import { Tornado } from './tornado';
import { CriticalChain } from './why_chain';
import { WaitMatrix } from './why_matrix';

const CHART_HEIGHT = 220;  // in pixels of a normal screen
const MOST_RESOURCES = 12;

export function Why({ run, rows, state, values }: { run: Run; rows: Rows | null; state: State | null; values: URLSearchParams }) {
  const launch = run.launches.find(({ id }) => String(id) === values.get('launch')) ?? longestLaunch(run);
  const span = kernelSpan(launch);
  return (
    <>
      <h1 class="unseen">Why</h1>
      <Ladder run={run} />
      <Tornado run={run} />
      <Findings run={run} beside />
      {run.findings.length === 0 ? <p class="hint">No finding would bring more than 3 %, or the run was made with --no-findings.{!run.why && <> <code>kernbench why DIR</code> measures what it waits for.</>}</p> : null}
      <p class="tools">
        <LaunchChoice run={run} chosen={launch} to={(chosen) => href('why', { launch: chosen.id })} />
        {launch && <span class="dim">{duration(total(launch) * 1e6)} from submission to completion{span && `, kernel ${duration(Number(span.t1 - span.t0))}`}</span>}
      </p>
      {!run.has_operations && <p class="message">This run has no record of its resources; run it with <code>--record DIR</code> in place of <code>--out DIR</code>.</p>}
      {run.has_operations && launch && span && (
        <>
          <PeTimes launch={launch} span={span} />
          <CriticalChain launch={launch} span={span} rows={rows} state={state} />
          {rows && <WaitMatrix launch={launch} span={span} hasMessages={rows.operations.some((one) => one.name === 'ipcq_send')} />}
          <Balance launch={launch} span={span} chosen={values.get('like') ?? ''} />
          <Resources launch={launch} span={span} values={values} />
        </>
      )}
      {run.has_operations && launch && !span && <p class="message">No PE ran this launch.</p>}
    </>
  );
}

// Each PE is a column; its height is the time of the kernel.
function PeTimes({ launch, span }: { launch: Launch; span: Span }) {
  const [byTime, setByTime] = useState(false);
  const answer = useAnswer(`${span.t0} ${span.t1}`, (signal) => fetchActivity(`t0=${span.t0}&t1=${span.t1}&kind=state&under=sip${launch.sip}`, signal));
  const pes = peTimes(answer.value?.rows ?? []);
  const length = Number(span.t1 - span.t0) / 1e6;
  const sum = ({ parts }: PeTime) => parts.reduce((a, b) => a + b, 0);
  const computing = ({ parts }: PeTime) => STATES.reduce((all, { role }, i) => all + (role === 'engine' ? parts[i] : 0), 0);
  if (byTime) pes.sort((a, b) => computing(b) - computing(a) || sum(b) - sum(a));
  const used = STATES.map((state, i) => ({ ...state, i, mean: pes.reduce((all, { parts }) => all + parts[i], 0) / Math.max(1, pes.length) })).filter(({ mean }) => mean > 0);
  return (
    <Section title={`Where the time of each PE went (${count(pes.length)} ${pes.length === 1 ? 'PE' : 'PEs'})`} hint="A column is a PE; all of its height is the time from the start of the kernel to its last end. What is blank, it had ended, or not yet begun.">
      {answer.failure && <p class="bad" role="alert">{answer.failure}</p>}
      {answer.value && pes.length === 0 && <p class="hint">The states of PEs were not recorded.</p>}
      <p class="legend">
        {used.map((state) => <span title={state.meaning}><Swatch colour={state.colour} /> {state.label} {percent(state.mean / length)}</span>)}
        <button type="button" class="right" aria-pressed={byTime} onClick={() => setByTime(!byTime)}>most computing first</button>
      </p>
      {pes.length > 0 && <Columns pes={pes} length={length} span={span} />}
      {pes.length > 0 && launch.breakdown?.pe && (
        <p class="hint">The PE that ended last is <a href={timelineOf(launch.breakdown.pe, span)}>{launch.breakdown.pe}</a>
          {STATES.filter((state) => part(launch.breakdown, state.name) > 0).map((state) => `, ${state.label} ${duration(part(launch.breakdown, state.name) * 1e6)}`)}.</p>
      )}
    </Section>
  );
}

function Columns({ pes, length, span }: { pes: PeTime[]; length: number; span: Span }) {
  const canvas = useRef<HTMLCanvasElement>(null), box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box);
  const [at, setAt] = useState<number | null>(null);
  const step = width / pes.length;
  useEffect(() => {
    if (width === 0) return;
    const full = Math.round(CHART_HEIGHT * sizes.scale), c = prepare(canvas.current!, width, full), colours = theme();
    c.fillStyle = colours.line;
    c.fillRect(0, 0, width, full);
    pes.forEach(({ parts }, i) => {
      let y = full;
      parts.forEach((time, state) => {
        const height = (time / length) * full;
        if (height <= 0) return;
        c.fillStyle = STATES[state].colour;
        c.fillRect(i * step, y - height, Math.max(0.5, step - (step > 4 ? 1 : 0)), height);
        y -= height;
      });
    });
    if (at !== null) {
      c.strokeStyle = colours.mark;
      c.lineWidth = 2;
      c.strokeRect(at * step, 1, Math.max(3, step - 1), full - 2);
    }
  });
  const chosen = at === null ? null : pes[at];
  const move = (to: number) => setAt(Math.max(0, Math.min(pes.length - 1, to)));
  return (
    <div ref={box}>
      <canvas class="columnchart" ref={canvas} tabIndex={0} role="application" aria-label="Time of each PE. Left and right choose a PE, Enter shows it on the timeline."
        onPointerMove={(event) => move(Math.floor(event.offsetX / step))} onPointerLeave={() => setAt(null)}
        onClick={() => { if (chosen) location.hash = timelineOf(chosen.pe, span); }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowLeft') move((at ?? 1) - 1);
          else if (event.key === 'ArrowRight') move((at ?? -1) + 1);
          else if (event.key === 'Enter' && chosen) location.hash = timelineOf(chosen.pe, span);
          else return;
          event.preventDefault();
        }} />
      <p class="hint figures" role="status">
        {chosen ? `${chosen.pe}: ${STATES.map((state, i) => [state.label, chosen.parts[i]] as const).filter(([, time]) => time > 0).map(([label, time]) => `${label} ${duration(time * 1e6)} (${percent(time / length)})`).join(', ')}` : 'Point at a column for its figures; a click leads to its timeline.'}
      </p>
    </div>
  );
}

const MOST_CLASSES = 16;

// Resources grouped by purpose, to show the kind of the bottleneck and whether one or all of the kind are busy.
function Balance({ launch, span, chosen }: { launch: Launch; span: Span; chosen: string }) {
  const answer = useAnswer(`${span.t0} ${span.t1}`, (signal) => fetchClasses(span.t0, span.t1, signal));
  const classes = [...(answer.value ?? [])].sort((a, b) => b.most - a.most || b.mean - a.mean).slice(0, MOST_CLASSES);
  return (
    <Section title={`Critical resources of ${launchName(launch)}`} hint="While its kernel ran, the busiest first; resources of one purpose together. The kernel cannot be faster than a resource that is busy all the time. Where one is far above the mean, the others could relieve it.">
      {answer.failure && <p class="bad" role="alert">{answer.failure}</p>}
      {answer.value?.length === 0 && <p class="hint">No activity was recorded.</p>}
      <div class="scrollx"><table class="data" aria-busy={!answer.value}>
        <thead><tr><th scope="col">resources</th><th scope="col">kind</th><th scope="col" class="number">in use</th><th scope="col" class="number">busiest</th><th scope="col" class="number">mean</th><th scope="col" class="number">busiest / mean</th><th scope="col">which</th><th scope="col" class="number">bytes</th><th scope="col" class="number">waited</th></tr></thead>
        <tbody>
          {classes.map((row) => (
            <tr>
              <th scope="row"><a href={href('why', { launch: launch.id, like: row.name })} aria-current={row.name === chosen ? 'true' : undefined} title="List them below">{row.name.replace(' > ', ' → ')}</a></th>
              <td>{kindLabel(row.kind)}</td>
              <td class="number">{count(row.count)}</td><td class="number">{percent(row.most)}</td><td class="number">{percent(row.mean)}</td>
              <td class={row.most > 1.5 * row.mean ? 'number warn' : 'number'}>{row.mean > 0 ? `${(row.most / row.mean).toFixed(2)}x` : ''}</td>
              <td><a href={machineOf(row.component, span)}>{row.component}</a></td>
              <td class="number">{row.bytes > 0 ? bytesText(row.bytes) : ''}</td><td class="number">{row.waitNs > 0 ? duration(row.waitNs * 1e6) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table></div>
    </Section>
  );
}

const SORTS: [string, string][] = [['used', 'busy'], ['wait', 'waited'], ['bytes', 'bytes']];

function Resources({ launch, span, values }: { launch: Launch; span: Span; values: URLSearchParams }) {
  const sort = SORTS.find(([key]) => key === values.get('sort'))?.[0] ?? 'used';
  const kind = kindIn(values);
  const like = values.get('like') ?? '';
  const query = `t0=${span.t0}&t1=${span.t1}&sort=${sort}&kind=${like ? '' : kind}&like=${encodeURIComponent(like)}&limit=${MOST_RESOURCES}`;
  const answer = useAnswer(query, (signal) => fetchActivity(query, signal));
  const to = (changed: Record<string, string>) => href('why', { launch: launch.id, sort, kind, like, ...changed });
  const length = Number(span.t1 - span.t0) / 1e6;
  return (
    <Section title={like ? `Each of ${like.replace(' > ', ' → ')}` : 'Each resource'} hint="Where much waited for a resource that is seldom busy, look at what stands behind it.">
      <p class="tools">
        <KindChoice label="Kind" all="all resources" kind={like ? '' : kind} to={(one) => to({ like: '', kind: one })} />
        {like && <a href={to({ like: '' })}>all resources</a>}
        <span class="dim">{answer.value && `${count(answer.value.total)} were in use; the first ${count(answer.value.rows.length)}`}</span>
      </p>
      {answer.failure && <p class="bad" role="alert">{answer.failure}</p>}
      <div class="scrollx"><table class="data" aria-busy={answer.key !== query}>
        <thead>
          <tr>
            <th scope="col">resource</th><th scope="col">kind</th>
            {SORTS.map(([key, label]) => <th scope="col" class="number" aria-sort={sort === key ? 'descending' : undefined}><a href={to({ sort: key })}>{label}{sort === key ? ' ▾' : ''}</a></th>)}
            <th scope="col" class="number">rate</th><th scope="col" class="number">longest queue</th><th scope="col">see</th>
          </tr>
        </thead>
        <tbody>
          {answer.value?.rows.map((resource) => (
            <tr>
              <td><ResourceName resource={resource} span={span} /></td><td>{kindLabel(resource.kind)}</td>
              <td class="number" title={duration(resource.busyNs * 1e6)}>{percent(resource.share)}</td>
              <td class="number">{resource.waitNs > 0 ? duration(resource.waitNs * 1e6) : ''}</td>
              <td class="number">{resource.bytes > 0 ? bytesText(resource.bytes) : ''}</td>
              <td class="number">{resource.bytes > 0 ? `${rateText(resource.bytes / length)}${resource.gbs > 0 ? ` of ${rateText(resource.gbs)}` : ''}` : ''}</td>
              <td class="number">{resource.queue > 0 ? count(resource.queue) : ''}</td>
              <td><a href={timelineOf(resource.component, span)}>timeline</a></td>
            </tr>
          ))}
        </tbody>
      </table></div>
    </Section>
  );
}
