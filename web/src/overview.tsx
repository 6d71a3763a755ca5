// Overview of a run: parts of its launches, busiest resources, findings and figures.
import { launchName, type Launch, type Run } from './api';
import { href } from './address';
import { EnergyOf } from './energy';
import { Findings, text } from './findings';
import type { Breakdown } from './result';
import { LongestLines } from './overview_lines';
import { Section, Swatch } from './section';
import { count, duration, exact, fromNs, percent } from './time';
import { labelOf, PARTS, RESOURCES, STATES } from './words';

const MOST_BARS = 12;

// Names of parts and resources come from the program, which may have more of them than the types.
const time = (times: object | null | undefined, name: string): number => (times as Record<string, number> | null | undefined)?.[`${name}_ns`] ?? 0;
export const part = (breakdown: Breakdown | null | undefined, name: string): number => time(breakdown, name);
// 0 while it is open.
export const total = (launch: Launch): number => (launch.completed_ns ?? launch.submit_ns) - launch.submit_ns;

// From the first call of the kernel's body to its end.
function kernelTime(breakdown: Breakdown): number {
  return STATES.reduce((sum, { name }) => sum + part(breakdown, name), 0);
}

// The bottleneck of a launch: the resource that the run names if it was used for at least half of the kernel, otherwise the
// longest part of the critical PE's time.
export function boundedBy(launch: Launch | undefined): { text: string; share: number; meaning: string } | null {
  const { breakdown } = launch ?? {};
  if (!launch || !breakdown) return null;
  const kernel = kernelTime(breakdown), all = total(launch);
  const limiter = breakdown.limiter ?? '', busy = time(breakdown.busy, limiter);
  if (kernel > 0 && busy > 0) return { text: labelOf(RESOURCES, limiter), share: busy / kernel, meaning: 'of its kernel busy' };
  const largest = PARTS.reduce((best, one) => (part(breakdown, one.name) > part(breakdown, best.name) ? one : best));
  const longest = part(breakdown, largest.name);
  return longest > 0 && all > 0 ? { text: largest.label, share: longest / all, meaning: 'of its time' } : null;
}

export function longestLaunch(run: Run): Launch | undefined {
  return run.launches.reduce<Launch | undefined>((best, launch) => (best && total(best) >= total(launch) ? best : launch), undefined);
}

// "3 of 5 tensors right, 1 wrong, 1 not verified"
export function verdicts(rows: Run['verification']): string {
  const number = (status: string) => rows.filter((row) => row.status === status).length;
  const bad = ['wrong', 'not verified'].filter((status) => number(status) > 0).map((status) => `, ${number(status)} ${status}`);
  return `${rows.filter((row) => row.ok).length} of ${rows.length} tensors right${bad.join('')}`;
}


// The launches on the time axis of the whole run.
function WholeRun({ run }: { run: Run }) {
  const end = run.sim_time_ns;
  if (end === 0) return null;
  const spans = run.launches.filter((l) => total(l) > 0).map((l) => [l.submit_ns, l.completed_ns ?? 0]).sort((a, b) => a[0] - b[0]);
  const union: number[][] = [];
  for (const [a, b] of spans) {
    const last = union[union.length - 1];
    if (last && a <= last[1]) last[1] = Math.max(last[1], b);
    else union.push([a, b]);
  }
  const busy = union.reduce((sum, [a, b]) => sum + b - a, 0);
  const text = `launches ${duration(busy * 1e6)} (${percent(busy / end)}), host alone ${duration((end - busy) * 1e6)} (${percent(1 - busy / end)})`;
  return (
    <div class="whole">
      <svg class="strip" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={text}>
        <rect class="host" x="0" y="0" width="1000" height="10" />
        {union.map(([a, b]) => <rect class="launch" x={(a / end) * 1000} y="0" width={Math.max(1, ((b - a) / end) * 1000)} height="10" />)}
      </svg>
      <p class="hint">
        Run of {duration(end * 1e6)}: <span class="key launch" /> launches {duration(busy * 1e6)} ({percent(busy / end)}),{' '}
        <span class="key host" /> host alone {duration((end - busy) * 1e6)} ({percent(1 - busy / end)}: uploads, downloads, its own work)
      </p>
    </div>
  );
}

export function Bar({ launch, scale }: { launch: Launch; scale: number }) {
  const all = total(launch);
  let x = 0;
  const segments = PARTS.map((p) => {
    const width = (part(launch.breakdown, p.name) / scale) * 1000;
    const segment = { ...p, x, width, share: all > 0 ? part(launch.breakdown, p.name) / all : 0, time: part(launch.breakdown, p.name) };
    x += width;
    return segment;
  }).filter((s) => s.width > 0);
  const text = segments.map((s) => `${s.label} ${percent(s.share)}`).join(', ');
  return (
    <svg class="bar" viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label={text || 'no breakdown'}>
      {segments.length === 0 && <rect class="host" x="0" y="0" width={(all / scale) * 1000} height="24" />}
      {segments.map((s) => (
        <rect x={s.x} y="0" width={s.width} height="24" fill={s.colour}>
          <title>{`${s.label}: ${duration(s.time * 1e6)}, ${percent(s.share)}`}</title>
        </rect>
      ))}
    </svg>
  );
}

function LaunchBars({ run, chosen }: { run: Run; chosen: Launch }) {
  const longest = [...run.launches].sort((a, b) => total(b) - total(a)).slice(0, MOST_BARS);
  const scale = Math.max(...longest.map(total), 1e-6);
  const used = PARTS.filter((p) => longest.some((launch) => part(launch.breakdown, p.name) / scale > 0.001));
  return (
    <Section
      title={run.launch_count > longest.length ? `The ${longest.length} longest of ${count(run.launch_count)} launches` : 'Launches'}
      hint="From submission to completion, as seen from the PE that ended last. Each moment counts once."
    >
      <p class="legend">
        {used.map((p) => <span title={p.meaning}><Swatch colour={p.colour} /> {p.label}</span>)}
      </p>
      <div class="launches" role="list">
        {longest.map((launch) => (
          <a role="listitem" class={launch === chosen ? 'launchrow chosen' : 'launchrow'} aria-current={launch === chosen ? 'true' : undefined}
            href={href('overview', { launch: launch.id })}>
            <span class="name">{launchName(launch)}{!launch.ok && <em class="bad"> failed</em>}</span>
            <Bar launch={launch} scale={scale} />
            <span class="number">{duration(total(launch) * 1e6)}</span>
          </a>
        ))}
      </div>
    </Section>
  );
}

function Parts({ launch }: { launch: Launch }) {
  const all = total(launch);
  const parts = PARTS.map((p) => ({ ...p, time: part(launch.breakdown, p.name) })).filter((p) => p.time > 0).sort((a, b) => b.time - a.time);
  return (
    <table class="facts">
      <caption>Where its time went</caption>
      <tbody>
        {parts.map((p) => (
          <tr>
            <th scope="row"><Swatch colour={p.colour} /> {p.label}</th>
            <td class="number">{percent(p.time / all)}</td>
            <td class="number" title={exact(fromNs(p.time))}>{duration(p.time * 1e6)}</td>
            <td class="why">{p.meaning}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

// Busy time of each resource of the PE, compared with the time of the kernel.
function Busy({ breakdown, limiter }: { breakdown: Breakdown; limiter: string }) {
  const kernel = kernelTime(breakdown);
  const busy = RESOURCES.map(({ name, label, meaning }) => ({ label, meaning, busy: time(breakdown.busy, name) })).sort((a, b) => b.busy - a.busy);
  if (kernel === 0) return null;
  return (
    <table class="facts">
      <caption>How busy its resources were</caption>
      <tbody>
        {busy.map(({ label, meaning, busy: used }) => (
          <tr class={label === limiter ? 'limiter' : undefined}>
            <th scope="row" title={meaning}>{label}</th>
            <td class="number">{percent(used / kernel)}</td>
            <td class="meter">
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect class="host" width="100" height="8" /><rect class="fill" width={Math.min(100, (used / kernel) * 100)} height="8" />
              </svg>
            </td>
            <td class="number">{duration(used * 1e6)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Chosen({ run, launch }: { run: Run; launch: Launch }) {
  const kernel = launch.breakdown ? kernelTime(launch.breakdown) : 0, bound = boundedBy(launch);
  const padded = launch.macs > 0 ? 1 - launch.useful_macs / launch.macs : 0;
  return (
    <Section title={`Launch ${launchName(launch)}`}>
      <p class="facts-line">
        <span>{duration(total(launch) * 1e6)} in all</span>
        {kernel > 0 && <span>kernel {duration(kernel * 1e6)} on {launch.breakdown?.pe}</span>}
        {bound && <span>bounded by <strong>{bound.text}</strong>, {percent(bound.share)} {bound.meaning}</span>}
        {padded > 0.001 && <span>{percent(padded)} of the MACs are padding</span>}
        {launch.late_pes > 0 && <span>{launch.late_pes} PEs started late</span>}
        {run.has_operations && <a href={href('why', { launch: launch.id })}>Why it took so long</a>}
        {run.lines.length > 0 && <a href={href('kernel', run.has_operations ? { launch: launch.id } : { kernel: launch.kernel })}>By line</a>}
        {run.has_operations && run.machine && <a href={href('machine', { launch: launch.id })}>In the machine</a>}
        {run.has_operations && <a href={href('timeline', { launch: launch.id })}>Timeline of this launch</a>}
        {run.has_operations && launch.completed_fs &&
          <a href={href('tables', { t0: launch.submit_fs, t1: launch.completed_fs, sort: 'duration', order: 'desc' })}>Its longest operations</a>}
      </p>
      {launch.error && <p class="message bad">{launch.error.code}: {launch.error.message}</p>}
      {launch.breakdown ? (
        <div class="columns"><Parts launch={launch} /><Busy breakdown={launch.breakdown} limiter={bound?.text ?? ''} /></div>
      ) : <p class="hint">No PE ran its kernel.</p>}
    </Section>
  );
}

function machine(run: Run): string {
  const known = Object.entries(run.machine ?? {}).map(([label, number]) => `${count(number)} ${label}`);
  return known.length > 0 ? `${known.join(', ')}${run.own_topology === false ? ' (another machine than that of the run)' : ''}` : '';
}

function Lists({ run }: { run: Run }) {
  const params = Object.entries(run.bench.params);
  const set = params.filter(([, p]) => p.origin !== 'default');
  return (
    <div class="columns">
      {run.figures.length > 0 && (
        <table class="facts">
          <caption>Figures</caption>
          <tbody>
            {run.figures.map((figure) => (
              <tr><th scope="row">{figure.name}</th><td class="number">{figure.value === null ? '?' : figure.unit === 'ns' ? duration(figure.value * 1e6) : `${count(figure.value)} ${figure.unit}`}</td></tr>
            ))}
          </tbody>
        </table>
      )}
      <table class="facts">
        <caption>What was run</caption>
        <tbody>
          <tr><th scope="row">workload</th><td>{run.bench.name}</td></tr>
          {(set.length > 0 ? set : params.slice(0, 6)).map(([key, p]) => <tr><th scope="row" class="long">{key}</th><td>{text(p.value)}</td></tr>)}
          <tr><th scope="row">machine</th><td>{run.topology.file}{machine(run) && <span class="dim"> {machine(run)}</span>}</td></tr>
          {run.settings.slice(0, 20).map((s) => <tr><th scope="row" class="long">{s.key}</th><td>{text(s.value)} <span class="dim">reference {text(s.reference)}</span></td></tr>)}
          <tr><th scope="row">data mode</th><td>{run.data_mode}{run.verification.length > 0 && `, ${verdicts(run.verification)}`}</td></tr>
          <tr><th scope="row">kernbench</th><td>{run.version}, seed {run.seed}</td></tr>
        </tbody>
      </table>
    </div>
  );
}

const MOST_RACES = 40;

function Races({ run: { races, races_not_compared: left = 0 } }: { run: Run }) {
  if (!races) return null;
  return (
    <Section title="Races" hint="Bytes that two commands use, one of them writing, while nothing orders them.">
      {races.length === 0 && <p>{left > 0 ? 'None in what was compared.' : 'None: every two such uses are in an order.'}</p>}
      <ul class="plain">{races.slice(0, MOST_RACES).map(({ text: what, pairs }) => <li>{what}{pairs > 1 && <span class="dim">; {count(pairs)} pairs like this</span>}</li>)}</ul>
      {races.length > MOST_RACES && <p class="hint">And {count(races.length - MOST_RACES)} more, in result.json.</p>}
      {left > 0 && <p class="message warn">{count(left)} accesses were not compared, because data mode off does not know their indices or masks.</p>}
    </Section>
  );
}

export function Overview({ run, selected }: { run: Run; selected: string | null }) {
  const chosen = run.launches.find((launch) => String(launch.id) === selected) ?? longestLaunch(run);
  return (
    <>
      <h1 class="unseen">Overview</h1>
      {!run.ok && <p class="message bad" role="alert">{run.error?.code}: {run.error?.message}</p>}
      {run.warnings.map((warning) => <p class="message warn">{warning}</p>)}
      <WholeRun run={run} />
      <LongestLines run={run} />
      <Findings run={run} />
      <Races run={run} />
      {chosen && <LaunchBars run={run} chosen={chosen} />}
      {chosen ? <Chosen run={run} launch={chosen} /> : <p class="message">No kernel was launched.</p>}
      <EnergyOf run={run} />
      <Section title="Run"><Lists run={run} /></Section>
      {run.notes.map((note) => <p class="hint">{note}</p>)}
    </>
  );
}
