// Comparison of two runs: A is that of --against, B is this one.
import { launchOf, runs, fetchClasses, fetchOtherRun, type ChangeCause, type ChangedCall, type ComparedEnergy, type LineChange, type Compared, type Comparison, type Difference, type ResourceClass, type Run } from './api';
import { href } from './address';
import { joules, range as joulesRange } from './energy';
import { useAnswer } from './hooks';
import { hrefOfKernel } from './kernel_parts';
import { Bar, boundedBy, part as partTime } from './overview';
import { kernelSpan, kindLabel, Linked, machineOf } from './resources';
import type { Finding, Joules } from './result';
import { Section, Swatch } from './section';
import { DataTable } from './table_parts';
import { count, duration, percent } from './time';
import { Aligned, ChangeMap } from './compare_pictures';
import { colourOf, labelOf, PARTS, plain } from './words';

const MOST_LAUNCHES = 12, MOST_CAUSES = 12, MOST_CLASSES = 14;

export const signed = (ns: number): string => (ns === 0 ? '0' : `${ns > 0 ? '+' : '−'}${duration(Math.abs(ns) * 1e6)}`);
const signedJoules = (fj: number): string => (fj === 0 ? '0' : `${fj > 0 ? '+' : '−'}${joules(Math.abs(fj))}`);
export const factor = (before: number, after: number): string => (before > 0 && after > 0 ? (after <= before ? `${(before / after).toFixed(2)}x as fast` : `${(after / before).toFixed(2)}x as long`) : '');
export const tone = (difference: number): string | undefined => (difference < 0 ? 'good' : difference > 0 ? 'bad' : undefined);

export function Compare({ run, comparison, values }: { run: Run; comparison: Comparison; values: URLSearchParams }) {
  const other = useAnswer('other', fetchOtherRun);
  const pairs = [...comparison.launches].sort((a, b) => Math.abs(b.after.ns - b.before.ns) - Math.abs(a.after.ns - a.before.ns));
  const chosen = pairs.find((pair) => String(pair.after.id) === values.get('launch')) ?? pairs[0];
  return (
    <>
      <h1 class="unseen">Compare</h1>
      {comparison.other_machine && <p class="message warn" role="alert">{comparison.other_machine}</p>}
      {comparison.failures.map((failure) => <p class="message warn">{failure}</p>)}
      <Section title="A and B">
        <p class="facts-line">
          <span>A <strong>{comparison.before}</strong></span><span>B <strong>{comparison.after}</strong></span>
          {pairs.length > 0 && <span>launches {duration(comparison.total.before * 1e6)} → {duration(comparison.total.after * 1e6)}, <strong class={tone(comparison.total.after - comparison.total.before)}>{factor(comparison.total.before, comparison.total.after)}</strong></span>}
        </p>
        {comparison.settings.length === 0 ? <p class="hint">No setting differs.</p> : (
          <DataTable columns={['set differently', 'A', 'B']}>{comparison.settings.map((one) => <tr><th scope="row">{one.name}</th><td>{one.before || '–'}</td><td>{one.after || '–'}</td></tr>)}</DataTable>
        )}
      </Section>
      {pairs.length === 0 && <p class="message">No kernel was launched in both.</p>}
      {pairs.length > 0 && other.value && <Pairs run={run} other={other.value} pairs={pairs} chosen={chosen} />}
      {comparison.without_partner.length > 0 && <p class="hint">Without a partner: {comparison.without_partner.slice(0, 20).join('; ')}{comparison.without_partner.length > 20 && ` and ${comparison.without_partner.length - 20} more`}.</p>}
      {pairs.length > 0 && <Waterfall parts={comparison.parts} total={comparison.total} />}
      {other.value && <FindingChanges before={other.value} after={run} />}
      {chosen && other.value && run.has_operations && other.value.has_operations && <Classes run={run} other={other.value} pair={chosen} />}
      {chosen && other.value && run.has_operations && other.value.has_operations && <Aligned run={run} other={other.value} pair={chosen} />}
      {chosen && other.value && run.machine && run.has_operations && other.value.has_operations && (comparison.other_machine
        ? <Section title="Machine, B − A"><p class="hint">There is no heat map of the difference: the machines differ.</p></Section>
        : <ChangeMap run={run} other={other.value} pair={chosen} values={values} />)}
      <Lines run={run} lines={comparison.lines} />
      <Causes causes={comparison.causes} />
      <Energies run={run} energy={comparison.energy} />
      {other.failure && <p class="message bad" role="alert">{other.failure}</p>}
    </>
  );
}

function Pairs({ run, other, pairs, chosen }: { run: Run; other: Run; pairs: Compared[]; chosen: Compared }) {
  const shown = pairs.slice(0, MOST_LAUNCHES);
  const scale = Math.max(1e-6, ...shown.map((pair) => Math.max(pair.before.ns, pair.after.ns)));
  const used = PARTS.filter((part) => shown.some((pair) => [launchOf(other, pair.before.id), launchOf(run, pair.after.id)].some((launch) => partTime(launch?.breakdown, part.name) / scale > 0.001)));
  return (
    <Section title={pairs.length > shown.length ? `The ${shown.length} of ${count(pairs.length)} launches that changed most` : 'Launches'} hint="Each in its parts, from submission to completion: A above B. Launches of one kernel on one SIP belong together in their order.">
      <p class="legend">{used.map((part) => <span title={part.meaning}><Swatch colour={part.colour} /> {part.label}</span>)}</p>
      <div role="list">
        {shown.map((pair) => {
          const before = launchOf(other, pair.before.id), after = launchOf(run, pair.after.id);
          const bounds = [before, after].map((launch) => boundedBy(launch)?.text ?? 'nothing');
          const limiter = bounds[0] === bounds[1] ? bounds[0] : bounds.join(' → ');
          return (
            <a role="listitem" class={pair === chosen ? 'launchrow pair chosen' : 'launchrow pair'} aria-current={pair === chosen ? 'true' : undefined} href={href('compare', { launch: pair.after.id })}>
              <span class="name">{runs(pair)} {pair.sip === null ? '' : `sip${pair.sip}`}<span class="dim"> {limiter}</span></span>
              <span>{before && <Bar launch={before} scale={scale} />}{after && <Bar launch={after} scale={scale} />}</span>
              <span class="number">{duration(pair.before.ns * 1e6)}<br />{duration(pair.after.ns * 1e6)}</span>
              <span class={`number ${tone(pair.after.ns - pair.before.ns) ?? ''}`}>{signed(pair.after.ns - pair.before.ns)}<br />{factor(pair.before.ns, pair.after.ns)}</span>
            </a>
          );
        })}
      </div>
    </Section>
  );
}

// Differences between the times of A and B, part by part.
function Waterfall({ parts, total }: { parts: Difference[]; total: Difference }) {
  const changed = parts.filter((part) => part.before !== part.after).sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  if (changed.length === 0) return <Section title="Where the difference comes from"><p class="hint">Every part took as long as before.</p></Section>;
  let at = total.before, most = Math.max(total.before, total.after);
  const steps = changed.map((part) => {
    const from = at;
    at += part.after - part.before;
    most = Math.max(most, at);
    return { part, from, to: at };
  });
  const x = (ns: number) => (ns / most) * 1000;
  const bar = (from: number, to: number, kind: string) => (
    <svg class="bar" viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true">
      <rect class={kind} x={x(Math.min(from, to))} y="3" width={Math.max(1.5, x(Math.abs(to - from)))} height="18" />
    </svg>
  );
  return (
    <Section title="Where the difference comes from" hint="All launches that have a partner, as seen from the PEs that ended last. The parts add up.">
      <table class="facts waterfall"><tbody>
        <tr><th scope="row">A</th><td class="meter">{bar(0, total.before, 'total')}</td><td class="number">{duration(total.before * 1e6)}</td><td class="number" /></tr>
        {steps.map(({ part, from, to }) => (
          <tr>
            <th scope="row"><Swatch colour={colourOf(PARTS, part.name) ?? '#888888'} /> {labelOf(PARTS, part.name)}</th>
            <td class="meter">{bar(from, to, to < from ? 'less' : 'more')}</td>
            <td class={`number ${tone(to - from) ?? ''}`}>{signed(to - from)}</td>
            <td class="number dim">{duration(part.before * 1e6)} → {duration(part.after * 1e6)}</td>
          </tr>
        ))}
        <tr><th scope="row">B</th><td class="meter">{bar(0, total.after, 'total')}</td><td class="number">{duration(total.after * 1e6)}</td><td class="number" /></tr>
      </tbody></table>
    </Section>
  );
}

// Findings are paired by rule, of several launches in their order: findings of only one run, and findings of both.
function FindingChanges({ before, after }: { before: Run; after: Run }) {
  const a = before.findings, b = after.findings;
  if (a.length === 0 && b.length === 0) return null;
  const keys = (all: Finding[]) => all.map(({ rule }, i) => `${rule} ${all.slice(0, i).filter((other) => other.rule === rule).length}`);
  const keysA = keys(a), keysB = keys(b);
  const gone = a.filter((_, i) => !keysB.includes(keysA[i]));
  const rows = [...b.map((now, i) => ({ now, old: a[keysA.indexOf(keysB[i])] })), ...gone.map((old) => ({ now: undefined, old }))];
  const times = (found?: Finding) => (found ? `${(found.factor ?? 1).toFixed(2)}x` : '–');
  return (
    <Section title="Findings" hint="Up to how much faster a launch would be without it.">
      <DataTable columns={['finding', 'state', '#A', '#B']}>
        {rows.map(({ now, old }) => (
          <tr>
            <td><Linked text={(now ?? old)!.headline} span={null} /> <span class="dim">{(now ?? old)!.rule}</span></td>
            <td class={!now ? 'good' : !old ? 'bad' : undefined}>{!now ? 'gone' : !old ? 'new' : 'stays'}</td>
            <td class="number">{times(old)}</td><td class="number">{times(now)}</td>
          </tr>
        ))}
      </DataTable>
    </Section>
  );
}

// Resources by purpose, for the kernel of the selected pair.
function Classes({ run, other, pair }: { run: Run; other: Run; pair: Compared }) {
  const a = kernelSpan(launchOf(other, pair.before.id)), b = kernelSpan(launchOf(run, pair.after.id));
  const answer = useAnswer(a && b ? `${a.t0} ${a.t1} ${b.t0} ${b.t1}` : '', (signal) => Promise.all([fetchClasses(a!.t0, a!.t1, signal, 'against'), fetchClasses(b!.t0, b!.t1, signal)]));
  if (!a || !b || !answer.value) return null;
  const [before, after] = answer.value;
  const names = [...new Set([...after, ...before].map(({ name }) => name))];
  const find = (list: ResourceClass[], name: string) => list.find((one) => one.name === name);
  const rows = names.map((name) => ({ name, a: find(before, name), b: find(after, name) }))
    .sort((x, y) => Math.abs((y.b?.most ?? 0) - (y.a?.most ?? 0)) - Math.abs((x.b?.most ?? 0) - (x.a?.most ?? 0))).slice(0, MOST_CLASSES);
  const share = (value: number | undefined) => (value === undefined ? '–' : percent(value));
  return (
    <Section title={`Resources of ${runs(pair)}${pair.sip === null ? '' : ` on sip${pair.sip}`}`} hint="While the kernel ran, by purpose; the largest change of the busiest one first. When the kernel is shorter, the same work keeps a resource busier.">
      <DataTable columns={['resources', 'kind', '#busiest, A', '#B', '#mean, A', '#B', '#in use, A', '#B']}>
        {rows.map((row) => (
          <tr>
            <th scope="row"><a href={machineOf((row.b ?? row.a)!.component, b)}>{row.name.replace(' > ', ' → ')}</a></th><td>{kindLabel((row.b ?? row.a)!.kind)}</td>
            <td class="number">{share(row.a?.most)}</td><td class="number">{share(row.b?.most)}</td>
            <td class="number">{share(row.a?.mean)}</td><td class="number">{share(row.b?.mean)}</td>
            <td class="number">{count(row.a?.count ?? 0)}</td><td class="number">{count(row.b?.count ?? 0)}</td>
          </tr>
        ))}
      </DataTable>
    </Section>
  );
}

// Line, tensor and range; where both runs have the line, its number in A and, if it is another one, in B.
function LineCells({ run, line: { kernel, file, call, tensor, range, before, after } }: { run: Run; line: ChangedCall }) {
  const numbers = [before?.line, after?.line].filter((line, i, both) => line && both.indexOf(line) === i);
  const name = numbers.length > 0 ? `${file.slice(file.lastIndexOf('/') + 1)}:${numbers.join(' → ')} ${call}` : 'distribution of launches';
  return (
    <>
      <th scope="row" title={file}>{after?.line ? <a href={hrefOfKernel(run, kernel, { line: `${file}:${after.line}` })}>{name}</a> : name}</th>
      <td>{tensor}</td><td>{range}</td>
    </>
  );
}

function Lines({ run, lines }: { run: Run; lines: LineChange[] }) {
  if (lines.length === 0) return null;
  const side = (ns: number | undefined) => (ns === undefined ? '' : duration(ns * 1e6));
  return (
    <Section title="Lines whose time changed most" hint={`Time on the PEs that ended last; waits of the transfers of the line, summed over all PEs. Lines belong together by kernel, file, call, tensor, range and order.${lines.length > MOST_CAUSES ? ` The ${MOST_CAUSES} of ${count(lines.length)} that changed most.` : ''}`}>
      <DataTable columns={['line', 'tensor', 'range', '#A', '#B', '#B − A', '#waits in A', '#in B']}>
        {lines.slice(0, MOST_CAUSES).map((line) => {
          const { before, after } = line, change = (after?.ns ?? 0) - (before?.ns ?? 0);
          return (
            <tr>
              <LineCells run={run} line={line} /><td class="number">{side(before?.ns)}</td><td class="number">{side(after?.ns)}</td>
              <td class={`number ${tone(change) ?? ''}`}>{signed(change)}</td><td class="number">{side(before?.wait_ns)}</td><td class="number">{side(after?.wait_ns)}</td>
            </tr>
          );
        })}
      </DataTable>
    </Section>
  );
}

// Joules of both runs, with their ranges as titles, and the difference.
function JoulesCells({ before, after }: { before: Joules | null; after: Joules | null }) {
  const change = (after?.fj ?? 0) - (before?.fj ?? 0);
  return (
    <>
      {[before, after].map((side) => <td class="number" title={side ? joulesRange(side) : undefined}>{side && joules(side.fj)}</td>)}
      <td class={`number ${tone(change) ?? ''}`}>{signedJoules(change)}</td>
    </>
  );
}

function Energies({ run, energy }: { run: Run; energy: ComparedEnergy | null }) {
  if (!energy) return null;
  const { coefficients, total, difference_fj: ends, lines, nobodys } = energy;
  return (
    <Section title="Energy" hint="Each number has its range as a title.">
      {energy.notes.map((note) => <p class="message warn">{note}.</p>)}
      {coefficients.length > 0 && <p class="hint">{coefficients.map(({ name, unit, before, after }) => `${name} ${before?.value ?? '–'} → ${after?.value ?? '–'} ${unit}`).join('; ')}</p>}
      {total && <DataTable columns={['part', '#A', '#B', '#B − A']}>{[...energy.parts, total].map((part) => <tr><th scope="row">{part.label}</th><JoulesCells {...part} /></tr>)}</DataTable>}
      {ends && <p class="hint">With the same coefficients in A and B, each within its range, B − A of the total lies between {signedJoules(ends.low)} and {signedJoules(ends.high)}.</p>}
      {lines.length > 0 && <DataTable columns={['line', 'tensor', 'range', '#A', '#B', '#B − A']}>
        {lines.slice(0, MOST_CAUSES).map((line) => <tr><LineCells run={run} line={line} /><JoulesCells {...line} /></tr>)}
        {nobodys && <tr><th scope="row">{nobodys.label}</th><td /><td /><JoulesCells {...nobodys} /></tr>}
      </DataTable>}
    </Section>
  );
}

// One line per kind of block and statistic; the block with the largest value leads to the machine.
function Causes({ causes }: { causes: ChangeCause[] }) {
  if (causes.length === 0) return null;
  const ratio = ({ before, after }: ChangeCause) => (before === 0 ? 'new' : after === 0 ? 'gone' : `${after > before ? '+' : '−'}${percent(Math.abs(after - before) / before)}`);
  return (
    <Section title="Blocks whose times changed most" hint={`By kind of block and statistic, of all blocks and the whole run; of a longest wait the longest.${causes.length > MOST_CAUSES ? ` The ${MOST_CAUSES} of ${count(causes.length)} that changed most.` : ''}`}>
      <DataTable columns={['kind', 'statistic', '#blocks', '#A', '#B', '#B − A', '#change', 'most in']}>
        {causes.slice(0, MOST_CAUSES).map((cause) => (
          <tr>
            <th scope="row">{plain(cause.kind)}</th><td>{plain(cause.statistic)}</td><td class="number">{count(cause.count)}</td>
            <td class="number">{duration(cause.before * 1e6)}</td><td class="number">{duration(cause.after * 1e6)}</td>
            <td class={`number ${tone(cause.after - cause.before) ?? ''}`}>{signed(cause.after - cause.before)}</td><td class="number">{ratio(cause)}</td>
            <td><a href={machineOf(cause.most.name, null)}>{cause.most.name}</a></td>
          </tr>
        ))}
      </DataTable>
    </Section>
  );
}
