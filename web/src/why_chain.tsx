// The critical chain of a launch, backwards from the PE that ended last.
import { useMemo } from 'preact/hooks';
import { fetchChain, type ChainStay, type Launch, type Rows, type State } from './api';
import { href } from './address';
import { operationColour } from './colours';
import { useAnswer } from './hooks';
import { nodeOf } from './nodes';
import { part } from './overview';
import { bytesText, timelineOf, type Span } from './resources';
import { Section, Swatch } from './section';
import { count, duration, percent } from './time';

const LISTED = 40, MOST_SUMS = 10;
const MESSAGE = '#c2559b', BETWEEN = '#9aa3b2';

interface Sum { label: string; colour: string; time: number; count: number }

const label = (rows: Rows, operation: number): string => (rows.operations[operation]?.name ?? '?').replace(/^TileToken\//, '');
const colour = (rows: Rows, operation: number): string => operationColour(rows.operations[operation] ?? { kind: '', name: '', engine: '' });

function sumsOf(stays: ChainStay[], rows: Rows): Sum[] {
  const sums = new Map<string, Sum>();
  const add = (name: string, shade: string, time: number, times: number) => {
    const sum = sums.get(name) ?? { label: name, colour: shade, time: 0, count: 0 };
    sum.time += time;
    sum.count += times;
    sums.set(name, sum);
  };
  for (const stay of stays) {
    for (const one of stay.parts) add(`${label(rows, one.operation)} on ${nodeOf(one.block)?.label ?? one.block}`, colour(rows, one.operation), one.time, one.count);
    if (stay.between > 0) add('between operations', BETWEEN, stay.between, 0);
    if (stay.message) add('messages on the way', MESSAGE, stay.begin - stay.message.sent, 1);
  }
  return [...sums.values()].sort((a, b) => b.time - a.time);
}

// The chain over time; in each stay the parts are sorted by size.
function Strip({ stays, rows, length }: { stays: ChainStay[]; rows: Rows; length: number }) {
  const x = (fs: number) => (fs / length) * 1000;
  const boxes: { from: number; time: number; fill: string; title: string }[] = [];
  for (const stay of stays) {
    if (stay.message) boxes.push({ from: stay.message.sent, time: stay.begin - stay.message.sent, fill: MESSAGE, title: `message from ${stay.message.sender} to ${stay.pe}: ${duration(stay.begin - stay.message.sent)}` });
    let at = stay.begin;
    for (const one of [...stay.parts.map((p) => ({ time: p.time, fill: colour(rows, p.operation), what: label(rows, p.operation) })), { time: stay.between, fill: BETWEEN, what: 'between operations' }]) {
      boxes.push({ from: at, time: one.time, fill: one.fill, title: `${stay.pe}: ${one.what} ${duration(one.time)}` });
      at += one.time;
    }
  }
  return (
    <svg class="bar chain" viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label="The critical chain over the time of the kernel; the table below has its steps">
      {boxes.filter(({ time }) => time > 0).map((box) => <rect x={x(box.from)} y="0" width={Math.max(0.4, x(box.time))} height="24" fill={box.fill}><title>{box.title}</title></rect>)}
    </svg>
  );
}

export function CriticalChain({ launch, span, rows, state }: { launch: Launch; span: Span; rows: Rows | null; state: State | null }) {
  const pe = launch.breakdown?.pe ?? '';
  const answer = useAnswer(pe && rows && state?.ready ? `${span.t0} ${span.t1} ${pe}` : '', (signal) => fetchChain(span.t0, span.t1, pe, signal));
  const stays = answer.value?.stays ?? [];
  const sums = useMemo(() => (rows ? sumsOf(stays, rows) : []), [answer.value, rows]);
  if (!pe) return null;
  const length = Number(span.t1 - span.t0), shown = stays.slice(-LISTED);
  const place = (stay: ChainStay) => timelineOf(stay.pe, { t0: span.t0 + BigInt(Math.max(0, Math.round(stay.begin - (stay.end - stay.begin) * 0.05))), t1: span.t0 + BigInt(Math.round(stay.end + (stay.end - stay.begin) * 0.05) + 1) });
  return (
    <Section title={`Critical chain, back from ${pe}, which ended last`} hint="From each operation to the one of its PE that ended last before it began; where the PE waited for a message, on to its sender. To shorten the kernel, shorten what is in this chain.">
      {answer.failure && <p class="bad" role="alert">{answer.failure}</p>}
      {!answer.value && !answer.failure && <p class="hint" role="status">Reading the operations …</p>}
      {answer.value && rows && (
        <>
          {!answer.value.all && <p class="message warn">The chain is longer; this is its end.</p>}
          <Strip stays={stays} rows={rows} length={length} />
          <p class="legend chainsums">
            {sums.slice(0, MOST_SUMS).map((sum) => <span><Swatch colour={sum.colour} /> {sum.label} {percent(sum.time / length)}{sum.count > 1 && <span class="dim"> {count(sum.count)}x</span>}</span>)}
          </p>
          <p class="facts-line">
            {part(launch.breakdown, 'delivery') > 0 && <span>before it: delivery of the launch {duration(part(launch.breakdown, 'delivery') * 1e6)}</span>}
            {part(launch.breakdown, 'barrier') > 0 && <span>barrier {duration(part(launch.breakdown, 'barrier') * 1e6)}</span>}
            {part(launch.breakdown, 'completion') > 0 && <span>after it: completion {duration(part(launch.breakdown, 'completion') * 1e6)}</span>}
          </p>
          <div class="scrollx"><table class="data">
            <thead><tr><th scope="col">PE</th><th scope="col" class="number">from</th><th scope="col" class="number">for</th><th scope="col">what it did</th><th scope="col">it had waited for</th></tr></thead>
            <tbody>
              {shown.map((stay) => (
                <tr>
                  <th scope="row"><a href={place(stay)}>{stay.pe}</a></th>
                  <td class="number">{duration(stay.begin)}</td><td class="number">{duration(stay.end - stay.begin)}</td>
                  <td>{[...stay.parts.slice(0, 4).map((p) => `${label(rows, p.operation)}${p.count > 1 ? ` ${count(p.count)}x` : ''} ${duration(p.time)}`), ...(stay.between > 0 ? [`between operations ${duration(stay.between)}`] : [])].join(', ') || 'nothing recorded'}</td>
                  <td>{stay.message
                    ? <>{bytesText(stay.message.bytes)} from <a href={href('collective', { launch: launch.id })}>{stay.message.sender}</a>, {duration(stay.begin - stay.message.sent)} on the way, waited {duration(stay.message.arrived - stay.message.awaited)}</>
                    : <span class="dim">the launch</span>}</td>
                </tr>
              ))}
            </tbody>
          </table></div>
          {stays.length > shown.length && <p class="hint">The last {LISTED} of {count(stays.length)} stays.</p>}
        </>
      )}
    </Section>
  );
}
