// Messages between PEs: all ranks over time, and the chain of waits of the rank that ended last.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { fetchMessages, type Launch, type Run } from './api';
import { href } from './address';
import { criticalChain, isWhole, ranksOf, type Whole } from './collective_chain';
import { useAnswer, useSize } from './hooks';
import { longestLaunch } from './overview';
import { paintRuler, prepare, textWidth, theme } from './picture';
import { bytesText, LaunchChoice, launchSpan, timelineOf, type Span } from './resources';
import { Section, Swatch } from './section';
import { sizes } from './sizes';
import { count, duration, percent } from './time';
import { Tooltip } from './tooltip';
import { plain } from './words';

const WAIT = '#c2559b', MESSAGE = '#5a7fb0', CHAIN = '#d0391f';
const GHOST = '#35a7a0';
const LISTED = 40;
// In pixels of a normal screen.
const MOST_HEIGHT = 3000, MOST_ROW = 24, LEAST_LABELLED = 9, NEAR = 6;

// The launches of one collective run at the same time on several SIPs.
function together(run: Run, launch: Launch | undefined): Span | null {
  const span = launchSpan(launch);
  if (!span) return null;
  const spans = run.launches.map(launchSpan).filter((one): one is Span => one !== null && one.t0 < span.t1 && span.t0 < one.t1);
  return spans.reduce((all, one) => ({ t0: one.t0 < all.t0 ? one.t0 : all.t0, t1: one.t1 > all.t1 ? one.t1 : all.t1 }), span);
}

export function Collective({ run, values }: { run: Run; values: URLSearchParams }) {
  const launch = run.launches.find(({ id }) => String(id) === values.get('launch')) ?? longestLaunch(run);
  const span = together(run, launch);
  const answer = useAnswer(run.has_operations && span ? `${span.t0} ${span.t1}` : '', (signal) => fetchMessages(span!.t0, span!.t1, signal));
  const messages = useMemo(() => (answer.value?.messages ?? []).filter(isWhole), [answer.value]);
  const chain = useMemo(() => criticalChain(messages), [messages]);
  const ranks = useMemo(() => ranksOf(messages), [messages]);
  if (!run.has_operations || !span) return <p class="message">This run has no operations of a launch; run it with <code>--record DIR</code> in place of <code>--out DIR</code>.</p>;
  return (
    <>
      <h1 class="unseen">Collective</h1>
      <p class="tools"><LaunchChoice run={run} chosen={launch} to={(one) => href('collective', { launch: one.id })} /><span class="dim">with the launches of other SIPs at that time</span></p>
      {answer.failure && <p class="message bad" role="alert">{answer.failure}</p>}
      {answer.value && messages.length === 0 && <p class="message">No message was received in this time.</p>}
      {answer.value?.all === false && <p class="message warn">There are more messages; these are the first.</p>}
      {messages.length > 0 && <Picture messages={messages} ranks={ranks} chain={chain} span={span} estimate={estimateOf(run)} />}
      {chain.length > 0 && <Chain chain={chain} span={span} />}
    </>
  );
}

export interface Estimate { label: string; fs: number }

// Time of the alpha-beta model for the executed algorithm; the sum for several collectives.
export function estimateOf(run: Run): Estimate | null {
  const found = (run.collectives ?? []).map((one) => ({ name: plain(`${one.call} ${one.algorithm}`), ns: one.estimates.find((estimate) => estimate.algorithm === one.algorithm)?.ns }))
    .filter((one): one is { name: string; ns: number } => typeof one.ns === 'number' && one.ns > 0);
  if (found.length === 0) return null;
  return { label: [...new Set(found.map(({ name }) => name))].join(', '), fs: found.reduce((sum, { ns }) => sum + ns, 0) * 1e6 };
}

// All ranks with the latest receive time.
export function latestRanks(messages: Whole[]): { ranks: string[]; at: number } {
  const at = Math.max(...messages.map(({ received }) => received));
  return { ranks: ranksOf(messages).filter((rank) => messages.some((m) => m.receiver === rank && m.received === at)), at };
}

// Time in which each rank waited for at least one message.
export function waitedByRank(messages: Whole[]): Map<string, number> {
  const reached = new Map<string, number>(), waited = new Map<string, number>();
  for (const m of [...messages].sort((a, b) => a.awaited - b.awaited)) {
    const begin = Math.max(m.awaited, reached.get(m.receiver) ?? m.awaited), end = Math.max(m.arrived, begin);
    waited.set(m.receiver, (waited.get(m.receiver) ?? 0) + end - begin);
    reached.set(m.receiver, end);
  }
  return waited;
}

function Summary({ messages, ranks, chain, estimate, begin }: { messages: Whole[]; ranks: string[]; chain: Whole[]; estimate: Estimate | null; begin: number }) {
  const last = new Map<string, number>(), waited = waitedByRank(messages);
  for (const m of messages) last.set(m.receiver, Math.max(last.get(m.receiver) ?? 0, m.received));
  const ends = [...last].sort((a, b) => a[1] - b[1]), latest = latestRanks(messages), mean = [...waited.values()].reduce((a, b) => a + b, 0) / Math.max(1, waited.size);
  return (
    <p class="facts-line">
      <span>{count(messages.length)} messages, {bytesText(messages.reduce((sum, m) => sum + m.bytes, 0))}, {count(ranks.length)} ranks</span>
      <span>latest <strong>{latest.ranks.slice(0, 3).join(' and ')}</strong>{latest.ranks.length > 3 && ` and ${latest.ranks.length - 3} more`}, {duration(ends[ends.length - 1][1] - ends[0][1])} after the first that is through, {ends[0][0]}</span>
      <span>a rank waits for {duration(mean)} on average</span>
      {estimate && <span>alpha-beta estimate of {estimate.label} {duration(estimate.fs)}: it took <strong>{((latest.at - begin) / estimate.fs).toFixed(2)}x</strong> of that, {duration(latest.at - begin)}</span>}
      {chain.length > 0 && <span>critical chain of <strong>{chain.length}</strong> messages</span>}
    </p>
  );
}

interface View { from: number; span: number }

function Picture({ messages, ranks, chain, span, estimate }: { messages: Whole[]; ranks: string[]; chain: Whole[]; span: Span; estimate: Estimate | null }) {
  const box = useRef<HTMLDivElement>(null), plot = useRef<HTMLCanvasElement>(null), ruler = useRef<HTMLCanvasElement>(null);
  const size = useSize(box);
  const [hover, setHover] = useState<{ message: Whole; x: number; y: number } | null>(null);
  const whole = useMemo<View>(() => {
    const from = Math.min(...messages.map((m) => Math.min(m.sent, m.awaited))), to = Math.max(...messages.map((m) => m.received));
    const edge = Math.max(1, (to - from) * 0.02);
    return { from: from - edge, span: Math.max(to, estimate ? from + estimate.fs : 0) - from + 2 * edge };
  }, [messages, estimate?.fs]);
  const begin = useMemo(() => Math.min(...messages.map((m) => Math.min(m.sent, m.awaited))), [messages]);
  const latest = useMemo(() => new Set(latestRanks(messages).ranks), [messages]);
  const [view, setView] = useState<View>(whole);
  useEffect(() => setView(whole), [whole]);
  const row = Math.max(1.2, Math.min(MOST_ROW, MOST_HEIGHT / ranks.length)) * sizes.scale, height = Math.ceil(row * ranks.length);
  const labelled = row >= LEAST_LABELLED * sizes.scale;
  const labels = useMemo(() => (labelled ? Math.ceil(Math.max(...ranks.map((rank) => textWidth(rank, sizes.font)))) + 12 : 0), [ranks, labelled, sizes.font]);
  const width = Math.max(0, size.width - labels);
  const rowOf = useMemo(() => new Map(ranks.map((rank, i) => [rank, i])), [ranks]);
  const isChain = useMemo(() => new Set(chain), [chain]);
  const x = (time: number) => ((time - view.from) / view.span) * width;
  const y = (rank: string) => ((rowOf.get(rank) ?? 0) + 0.5) * row;
  useEffect(() => {
    if (width === 0) return;
    const c = prepare(plot.current!, width + labels, height), colours = theme();
    c.font = sizes.font;
    c.textBaseline = 'middle';
    if (labelled) {
      ranks.forEach((rank) => { c.fillStyle = latest.has(rank) ? CHAIN : colours.dim; c.fillText(rank, 4, y(rank)); });
    }
    c.save();
    c.beginPath();
    c.rect(labels, 0, width, height);
    c.clip();
    c.translate(labels, 0);
    if (estimate) {
      c.fillStyle = c.strokeStyle = GHOST;
      c.globalAlpha = 0.12;
      c.fillRect(x(begin), 0, x(begin + estimate.fs) - x(begin), height);
      c.globalAlpha = 1;
      c.setLineDash([5, 4]);
      c.beginPath();
      c.moveTo(x(begin + estimate.fs), 0);
      c.lineTo(x(begin + estimate.fs), height);
      c.stroke();
      c.setLineDash([]);
    }
    c.fillStyle = colours.line;
    ranks.forEach((rank) => c.fillRect(0, y(rank) - 0.5, width, 1));
    c.fillStyle = WAIT;
    c.globalAlpha = 0.45;
    for (const m of messages) if (m.arrived > m.awaited) c.fillRect(x(m.awaited), y(m.receiver) - row * 0.28, Math.max(0.5, x(m.arrived) - x(m.awaited)), row * 0.56);
    const draw = (m: Whole, colour: string, thick: number) => {
      c.strokeStyle = colour;
      c.lineWidth = thick;
      c.beginPath();
      c.moveTo(x(m.sent), y(m.sender));
      c.lineTo(x(m.arrived), y(m.receiver));
      c.stroke();
    };
    c.globalAlpha = messages.length > 3000 ? 0.25 : 0.75;
    for (const m of messages) if (!isChain.has(m)) draw(m, MESSAGE, 1);
    c.globalAlpha = 1;
    chain.forEach((m, i) => {
      draw(m, CHAIN, 2.5);
      const before = chain[i - 1];
      if (before) { c.fillStyle = CHAIN; c.fillRect(x(before.arrived), y(m.sender) - 1.25, Math.max(1, x(m.sent) - x(before.arrived)), 2.5); }
    });
    if (hover) draw(hover.message, colours.mark, 3);
    c.restore();
    ruler.current!.style.marginLeft = `${labels}px`;
    const r = prepare(ruler.current!, width, sizes.ruler);
    paintRuler(r, { t0: BigInt(Math.round(view.from)), span: view.span, width }, 0n, [], colours);
  });
  const nearest = (px: number, py: number): Whole | null => {
    let best: Whole | null = null, near = NEAR;
    for (const m of messages) {
      const x0 = x(m.sent), x1 = x(m.arrived), y0 = y(m.sender), y1 = y(m.receiver);
      if (px < Math.min(x0, x1) - NEAR || px > Math.max(x0, x1) + NEAR || py < Math.min(y0, y1) - NEAR || py > Math.max(y0, y1) + NEAR) continue;
      const length = (x1 - x0) ** 2 + (y1 - y0) ** 2;
      const t = length === 0 ? 0 : Math.max(0, Math.min(1, ((px - x0) * (x1 - x0) + (py - y0) * (y1 - y0)) / length));
      const far = Math.hypot(px - x0 - t * (x1 - x0), py - y0 - t * (y1 - y0));
      if (far < near) { near = far; best = m; }
    }
    return best;
  };
  const zoom = (factor: number, at: number) => setView((v) => {
    const next = Math.min(whole.span, Math.max(whole.span / 1e5, v.span * factor));
    const from = v.from + (v.span - next) * at;
    return { from: Math.max(whole.from, Math.min(whole.from + whole.span - next, from)), span: next };
  });
  const keys: Record<string, () => void> = {
    '+': () => zoom(1 / 1.5, 0.5), '-': () => zoom(1.5, 0.5), Home: () => setView(whole),
    ArrowLeft: () => setView((v) => ({ ...v, from: Math.max(whole.from, v.from - v.span * 0.15) })),
    ArrowRight: () => setView((v) => ({ ...v, from: Math.min(whole.from + whole.span - v.span, v.from + v.span * 0.15) })),
  };
  const zoomNow = useRef(zoom);
  zoomNow.current = zoom;
  const left = useRef(0);
  left.current = labels;
  useEffect(() => {
    const canvas = plot.current!;
    const wheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.shiftKey && canvas.clientHeight > innerHeight) return;  // a long picture scrolls
      event.preventDefault();
      zoomNow.current(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.003), Math.max(0, (event.offsetX - left.current) / Math.max(1, canvas.clientWidth - left.current)));
    };
    canvas.addEventListener('wheel', wheel, { passive: false });
    return () => canvas.removeEventListener('wheel', wheel);
  }, []);
  const timeline = (m: Whole) => timelineOf(m.receiver, { t0: span.t0 + BigInt(Math.max(0, Math.round(m.sent - view.span * 0.02))), t1: span.t0 + BigInt(Math.round(m.received + view.span * 0.02)) });
  return (
    <Section title="Ranks over time" hint="A line is a message, from its send to its arrival in the slot of the receiver. Times count from the submission of the first launch.">
      <Summary messages={messages} ranks={ranks} chain={chain} estimate={estimate} begin={begin} />
      <p class="legend">
        <span><Swatch colour={WAIT} /> waits for a message</span><span><Swatch colour={MESSAGE} /> message</span><span><Swatch colour={CHAIN} /> critical chain</span>{estimate && <span><Swatch colour={GHOST} /> alpha-beta estimate, from the first send or wait on</span>}
        <span class="right">wheel zooms, a click leads to the timeline</span>
      </p>
      <div class="ranks" ref={box}>
        <canvas class="ranksruler" ref={ruler} aria-hidden="true" />
        <canvas class="ranksplot" ref={plot} tabIndex={0} role="application" aria-label={`${messages.length} messages of ${ranks.length} ranks over time; plus and minus zoom, left and right move. The table below has the critical chain.`}
          onKeyDown={(event) => { const action = keys[event.key]; if (action) { event.preventDefault(); action(); } }}
          onPointerMove={(event) => { const message = nearest(event.offsetX - labels, event.offsetY); setHover(message ? { message, x: event.clientX, y: event.clientY } : null); }}
          onPointerLeave={() => setHover(null)} onDblClick={() => setView(whole)}
          onClick={() => { if (hover) location.hash = timeline(hover.message).slice(1); }} />
        {hover && (
          <Tooltip x={hover.x} y={hover.y}>
            <strong>{hover.message.sender} → {hover.message.receiver}</strong>
            <span>{bytesText(hover.message.bytes)}, direction {hover.message.direction}</span>
            <span>sent at {duration(hover.message.sent)}, {duration(hover.message.arrived - hover.message.sent)} under way</span>
            <span>{hover.message.arrived > hover.message.awaited ? `the receiver waited for ${duration(hover.message.arrived - hover.message.awaited)}` : `it lay in the slot for ${duration(hover.message.awaited - hover.message.arrived)}`}</span>
          </Tooltip>
        )}
      </div>
    </Section>
  );
}

function Chain({ chain, span }: { chain: Whole[]; span: Span }) {
  const end = chain[chain.length - 1].received, begin = chain[0].sent, length = end - begin;
  const travel = chain.reduce((sum, m) => sum + m.arrived - m.sent, 0);
  const shown = chain.slice(-LISTED);
  return (
    <Section title="Critical chain" hint="Back from the message that was received last: each made its receiver wait, and was sent after what its sender had waited for.">
      <p class="facts-line">
        <span>{duration(length)} from its first send to its last receive</span><span>on the way {duration(travel)} ({percent(travel / length)})</span>
        <span>in the ranks between {duration(length - travel)} ({percent((length - travel) / length)})</span><span>{bytesText(chain.reduce((sum, m) => sum + m.bytes, 0))}</span>
      </p>
      <div class="scrollx"><table class="data">
        <thead><tr><th scope="col">from</th><th scope="col">to</th><th scope="col" class="number">bytes</th><th scope="col" class="number">sent at</th><th scope="col" class="number">on the way</th><th scope="col" class="number">receiver waited</th><th scope="col" class="number">until its next send</th></tr></thead>
        <tbody>
          {shown.map((m, i) => (
            <tr>
              <td><a href={timelineOf(m.sender, span)}>{m.sender}</a></td><td><a href={timelineOf(m.receiver, span)}>{m.receiver}</a></td>
              <td class="number">{bytesText(m.bytes)}</td><td class="number">{duration(m.sent)}</td><td class="number">{duration(m.arrived - m.sent)}</td>
              <td class="number">{duration(m.arrived - m.awaited)}</td><td class="number">{shown[i + 1] ? duration(shown[i + 1].sent - m.arrived) : ''}</td>
            </tr>
          ))}
        </tbody>
      </table></div>
      {chain.length > shown.length && <p class="hint">The last {LISTED} of {count(chain.length)}.</p>}
    </Section>
  );
}
