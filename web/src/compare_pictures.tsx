// Pictures of two runs: states over time from the start of the kernel, and the places that changed.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { launchOf, fetchCells, fetchMachine, fetchStates, type Compared, type Run, type Strips } from './api';
import { href } from './address';
import { changeColour, isDark } from './heat';
import { useAnswer, useSize } from './hooks';
import { MachineCanvas } from './machine_canvas';
import { overviewPicture, type Picture } from './machine_layout';
import { KINDS, STATES, type Word } from './words';
import { leastTick, prepare, theme } from './picture';
import { kernelSpan, KindChoice, kindIn, machineOf, type Span } from './resources';
import { Section, Swatch } from './section';
import { FAMILY, sizes } from './sizes';
import { tickStep, unitFor } from './time';
import { paintStrips } from './timeline_states';

// In pixels of a normal screen; on a phone the titles are above the strips.
const STRIP = 46, GAP = 8, RULER = 22, LABELS = 190, TITLE = 18, FONT = 12;

// Both runs on one time scale from the start of the kernel: the mean of all PEs of the SIP, and the PE that ended last.
export function Aligned({ run, other, pair }: { run: Run; other: Run; pair: Compared }) {
  const a = kernelSpan(launchOf(other, pair.before.id)), b = kernelSpan(launchOf(run, pair.after.id));
  const peA = launchOf(other, pair.before.id)?.breakdown?.pe ?? '', peB = launchOf(run, pair.after.id)?.breakdown?.pe ?? '', sip = `sip${pair.sip ?? 0}`;
  const box = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null);
  const { width } = useSize(box), labels = sizes.phone ? 0 : LABELS * sizes.scale;
  const longest = Math.max(a ? Number(a.t1 - a.t0) : 0, b ? Number(b.t1 - b.t0) : 0);
  const answer = useAnswer(a && b && width > labels ? `${a.t0} ${b.t0} ${peA} ${peB} ${width}` : '', async (signal) => {
    const ask = (span: Span, pe: string, which: string) => fetchStates(span.t0, span.t1, Math.max(1, Math.round(((width - labels) * Number(span.t1 - span.t0)) / longest)), `nodes=${sip},${pe}`, signal, which);
    return Promise.all([ask(a!, peA, 'against'), ask(b!, peB, '')]);
  });
  const lines: { title: string; span: Span; strips: Strips; row: number }[] = a && b && answer.value ? [
    { title: `A, all PEs of ${sip}`, span: a, strips: answer.value[0], row: 0 }, { title: `B, all PEs of ${sip}`, span: b, strips: answer.value[1], row: 0 },
    { title: `A, ${peA}`, span: a, strips: answer.value[0], row: 1 }, { title: `B, ${peB}`, span: b, strips: answer.value[1], row: 1 },
  ] : [];
  const strip = STRIP * sizes.scale, above = sizes.phone ? TITLE : 0, step = strip + above + GAP * sizes.scale, ruler = RULER * sizes.scale;
  const height = 4 * step + ruler;
  useEffect(() => {
    if (width <= labels || lines.length === 0) return;
    const c = prepare(canvas.current!, width, height), colours = theme(), plot = width - labels, scale = plot / longest;
    c.font = `${Math.round(FONT * sizes.scale)}px ${FAMILY}`;
    c.textBaseline = 'middle';
    c.imageSmoothingEnabled = false;
    lines.forEach(({ title, strips, row, span }, i) => {
      const y = ruler + i * step + above, length = Number(span.t1 - span.t0) * scale;
      c.fillStyle = colours.text;
      c.fillText(title, 0, above > 0 ? y - above / 2 : y + strip / 2, above > 0 ? width : labels - 10);
      c.fillStyle = colours.line;
      c.fillRect(labels, y, length, strip);
      const { picture, at } = paintStrips(strips), line = at.get(row);
      if (line !== undefined) c.drawImage(picture, 0, line * 16, strips.columns, 16, labels, y, length, strip);
    });
    const distance = tickStep((longest / plot) * leastTick()), [unit, name] = unitFor(distance * 9);
    c.fillStyle = colours.dim;
    for (let tick = 0; tick <= longest; tick += distance) {
      c.fillRect(labels + tick * scale, ruler - 8, 1, 8);
      const text = `${Number((tick / unit).toPrecision(6))} ${name}`;
      if (labels + tick * scale + 4 + c.measureText(text).width < width) c.fillText(text, labels + tick * scale + 4, ruler * 0.36);
    }
  });
  const met = new Set(answer.value?.flatMap(({ strips }) => strips.map(({ state }) => state)));
  return (
    <Section title="Side by side, from the start of the kernel" hint="How PEs spent their time, A above B on one scale: the mean of all, and the PE that ended last.">
      {answer.failure && <p class="bad" role="alert">{answer.failure}</p>}
      <p class="legend">{STATES.filter(({ name }) => met.has(name)).map((state) => <span title={state.meaning}><Swatch colour={state.colour} /> {state.label}</span>)}</p>
      <div ref={box}><canvas class="aligned" ref={canvas} role="img" aria-label="States of PEs over time, run A above run B; the table of parts above has the sums" /></div>
    </Section>
  );
}

// Shares of B minus those of A by place in the picture; for several kinds of resource, the one that changed most.
function difference(kinds: Word[], pictureOf: (which: number, kind: string) => Picture): Picture {
  const changes = new Map<string, { share: number; label: string }>();
  for (const { name: kind, label } of kinds) {
    const old = new Map(pictureOf(0, kind).shapes.map(({ id, figures }) => [id, figures])), now = pictureOf(1, kind);
    for (const { id, figures } of now.shapes) {
      const before = old.get(id) ?? null;
      if (!figures && !before) continue;
      const share = (figures?.share ?? 0) - (before?.share ?? 0), known = changes.get(id);
      if (!known || Math.abs(share) > Math.abs(known.share)) changes.set(id, { share, label });
    }
  }
  const picture = pictureOf(1, '');
  return {
    ...picture,
    shapes: picture.shapes.map((shape) => {
      const change = changes.get(shape.id);
      return { ...shape, lines: change ? [change.label] : [], figures: change ? { share: change.share, bytes: 0, waitNs: 0, gbs: 0, queue: 0 } : null };
    }),
  };
}

export function ChangeMap({ run, other, pair, values }: { run: Run; other: Run; pair: Compared; values: URLSearchParams }) {
  const a = kernelSpan(launchOf(other, pair.before.id)), b = kernelSpan(launchOf(run, pair.after.id));
  const kind = kindIn(values);
  const machine = useAnswer('machine', fetchMachine);
  const cells = useAnswer(a && b ? `${a.t0} ${a.t1} ${b.t0} ${b.t1}` : '', (signal) => Promise.all([fetchCells(a!.t0, a!.t1, signal, 'against'), fetchCells(b!.t0, b!.t1, signal)]));
  const picture = useMemo(() => {
    if (!machine.value || !cells.value) return null;
    const [a0, b0] = cells.value;
    const pictureOf = (which: number, one: string) => overviewPicture(machine.value!, `sip${pair.sip ?? 0}`, (which ? b0 : a0).cells, (which ? b0 : a0).wires, one, 'busy');
    return difference(KINDS.filter(({ name }) => kind === '' || name === kind), pictureOf);
  }, [machine.value, cells.value, kind, pair.sip]);
  const dark = isDark();
  if (!a || !b) return null;
  return (
    <Section title="Machine, B − A" hint="Share of the kernel's time in which a resource was in use, at each place of the one that changed most: red in B more, blue in B less. A shorter kernel keeps the same resources busier.">
      <p class="tools"><KindChoice label="Kind" all="what changed most" kind={kind} to={(one) => href('compare', { launch: pair.after.id, kind: one })} />
        <span class="dim">−100 % <svg class="scale" viewBox="0 0 50 10" preserveAspectRatio="none" aria-hidden="true">{Array.from({ length: 25 }, (_, i) => <rect x={i * 2} width="2.1" height="10" fill={changeColour(i / 12 - 1, dark)} />)}</svg> +100 %</span></p>
      {(machine.failure || cells.failure) && <p class="bad" role="alert">{machine.failure || cells.failure}</p>}
      {picture && <div class="changemap"><MachineCanvas picture={picture} measure="difference" ns={Number(b.t1 - b.t0) / 1e6} marked="" click={(shape) => { location.hash = machineOf(shape.go ?? shape.id.split(' ')[0], b).slice(1); }} /></div>}
    </Section>
  );
}
