// Matrix of waits: PEs (or cubes, or SIPs) by resources and senders of messages.
import { useMemo } from 'preact/hooks';
import { fetchActivity, fetchMessages, type Launch, type Message } from './api';
import { heatColour, inkOn, isDark } from './heat';
import { useAnswer } from './hooks';
import { pathOf } from './nodes';
import { peTimes, type PeTime } from './pe_states';
import { STATES } from './words';
import { timelineOf, type Span } from './resources';
import { Section } from './section';
import { count, duration, percent } from './time';

const MOST_ROWS = 24, MOST_SENDERS = 8;
const OTHERS = 'messages of others', REST = 'slots, credits, the rest';

// States in which a PE waits for something of its own machine, and for what.
const WAITED = 'waited for ';
const waitStates = (): [string, string][] => STATES.filter(({ name, phrase }) => phrase.startsWith(WAITED) && name !== 'dependency').map(({ name, phrase }) => [name, phrase.slice(WAITED.length)]);

export interface Matrix { level: string; columns: string[]; rows: { name: string; pes: number; cells: number[] }[]; left: number }  // ns, means of the PEs of a row

const groupAt = (depth: number) => (name: string) => pathOf(name)[depth - 1]?.id ?? name;

// PEs if they fit, otherwise cubes or SIPs; the rows with the longest waits.
export function matrixOf(pes: PeTime[], messages: Message[]): Matrix {
  const depth = [3, 2, 1].find((d) => new Set(pes.map(({ pe }) => groupAt(d)(pe))).size <= MOST_ROWS) ?? 1, group = groupAt(depth);
  const column = (state: string) => STATES.findIndex(({ name }) => name === state);
  const waits = messages.filter((m) => m.sender !== null && m.receiver !== null && m.arrived !== null && m.awaited !== null && m.arrived > m.awaited)
    .map((m) => ({ to: group(m.receiver!), from: group(m.sender!), ns: (m.arrived! - m.awaited!) / 1e6 }));
  const bySender = new Map<string, number>();
  for (const wait of waits) bySender.set(wait.from, (bySender.get(wait.from) ?? 0) + wait.ns);
  const senders = [...bySender].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MOST_SENDERS).map(([name]) => name);
  const columns = [...waitStates().map(([, label]) => label), ...senders.map((name) => `message from ${name}`), OTHERS, REST];
  const rows = new Map<string, { name: string; pes: number; cells: number[] }>();
  for (const { pe, parts } of pes) {
    const name = group(pe), row = rows.get(name) ?? { name, pes: 0, cells: columns.map(() => 0) };
    rows.set(name, row);
    ++row.pes;
    waitStates().forEach(([state], i) => { row.cells[i] += parts[column(state)]; });
    row.cells[columns.length - 1] += parts[column('dependency')];
  }
  for (const wait of waits) {
    const row = rows.get(wait.to);
    if (!row) continue;
    const at = senders.indexOf(wait.from), known = Math.min(wait.ns, row.cells[columns.length - 1]);
    row.cells[at >= 0 ? waitStates().length + at : columns.length - 2] += known;
    row.cells[columns.length - 1] -= known;  // the state of a PE also includes waits for messages
  }
  const all = [...rows.values()].map((row) => ({ ...row, cells: row.cells.map((ns) => ns / row.pes) }));
  const sum = (cells: number[]) => cells.reduce((a, b) => a + b, 0);
  const kept = columns.map((_, i) => all.some(({ cells }) => cells[i] > 1e-6));
  const sorted = all.sort((a, b) => sum(b.cells) - sum(a.cells));
  return {
    level: ['SIP', 'cube', 'PE'][depth - 1], columns: columns.filter((_, i) => kept[i]), left: Math.max(0, sorted.length - MOST_ROWS),
    rows: sorted.slice(0, MOST_ROWS).map((row) => ({ ...row, cells: row.cells.filter((_, i) => kept[i]) })),
  };
}

export function WaitMatrix({ launch, span, hasMessages }: { launch: Launch; span: Span; hasMessages: boolean }) {
  const states = useAnswer(`${span.t0} ${span.t1} ${launch.sip}`, (signal) => fetchActivity(`t0=${span.t0}&t1=${span.t1}&kind=state&under=sip${launch.sip}`, signal));
  const messages = useAnswer(hasMessages ? `${span.t0} ${span.t1}` : '', (signal) => fetchMessages(span.t0, span.t1, signal));
  const matrix = useMemo(() => matrixOf(peTimes(states.value?.rows ?? []), messages.value?.messages ?? []), [states.value, messages.value]);
  const length = Number(span.t1 - span.t0) / 1e6, dark = isDark();
  if (!states.value || (hasMessages && !messages.value)) return null;
  const paint = (share: number) => (element: HTMLElement | null) => {
    if (!element) return;
    element.style.background = share > 0.001 ? heatColour(share, dark) : '';
    element.style.color = share > 0.001 ? inkOn(share, dark) : '';
  };
  return (
    <Section title="Who waits for what" hint={`Per ${matrix.level}, the share of the kernel's time in which nothing was computed because it waited for what stands above; those that wait longest first.${matrix.level === 'PE' ? '' : ' Means over its PEs.'}`}>
      {states.failure && <p class="bad" role="alert">{states.failure}</p>}
      {matrix.columns.length === 0 ? <p class="hint">No PE waited.</p> : (
        <div class="scrollx"><table class="data matrix">
          <thead><tr><th scope="col">{matrix.level}</th>{matrix.columns.map((name) => <th scope="col" class="number">{name}</th>)}</tr></thead>
          <tbody>
            {matrix.rows.map((row) => (
              <tr>
                <th scope="row"><a href={timelineOf(row.name, span)}>{row.name}</a></th>
                {row.cells.map((ns) => <td class="number" ref={paint(ns / length)} title={duration(ns * 1e6)}>{ns > 0 ? percent(ns / length) : ''}</td>)}
              </tr>
            ))}
          </tbody>
        </table></div>
      )}
      {matrix.left > 0 && <p class="hint">And {count(matrix.left)} more that waited less.</p>}
    </Section>
  );
}
