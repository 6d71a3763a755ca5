// A step of a model: launches and their shares, the time of each layer, memory; beside another step when there is one.
import { useEffect } from 'preact/hooks';
import { hrefOf } from './address';
import { factor, signed, tone } from './compare';
import { EnergySection, joules, range } from './energy';
import { Axes, Box, FONT, linear, px } from './figure_axes';
import { useAnswer } from './hooks';
import { bytesText } from './resources';
import { Section, Swatch } from './section';
import { SiteHead, type Site } from './site';
import { fetchSteps, layersOf, partsOf, timeOf, type Part, type Step, type Steps } from './step_data';
import type { To } from './sweep';
import { cellText } from './sweep_data';
import { CATEGORIES } from './sweep_figures';
import { Head } from './table_parts';
import { count, duration, percent } from './time';

const FS_PER_NS = 1e6, HEIGHT = 240;
const REST = '#8c93a8';  // gaps and the host
const ns = (time: number): string => duration(time * FS_PER_NS);
const phaseText = ({ phase }: Step): string => (phase === 'decode' ? 'time per token' : 'time to first token');

export function StepPage({ site, values }: { site: Site; values: URLSearchParams }) {
  const answer = useAnswer('step', fetchSteps), found = answer.value;
  useEffect(() => { document.title = `${site.name} · kernbench`; }, []);
  const what = found ? `${found.step.phase} of ${found.step.batch} in ${found.step.dtype}, ${found.step.model}` : '';
  return (
    <>
      <SiteHead site={site} what={what} />
      <main id="content" class="page" tabIndex={-1}>
        <h1 class="unseen">Step</h1>
        {answer.failure && <p class="message bad" role="alert">{answer.failure}</p>}
        {!found && !answer.failure && <p class="message" role="status">Reading the step …</p>}
        {found && <Shown name={site.name} steps={found} values={values} />}
      </main>
    </>
  );
}

function Shown({ name, steps, values }: { name: string; steps: Steps; values: URLSearchParams }) {
  const { step, against } = steps, parts = partsOf(step);
  // A launch has its colour in all figures of both steps.
  const names = [...new Set([...parts, ...(against ? partsOf(against) : [])].filter(({ row }) => row).map((part) => part.name))];
  const colour = (one: string): string => { const at = names.indexOf(one); return at < 0 ? REST : CATEGORIES[at % CATEGORIES.length]; };
  return (
    <>
      <Section title={against ? 'A and B' : 'The step'}>
        {against && <Headline label="A" name={steps.against_name} step={against} />}
        <Headline label={against ? 'B' : ''} name={name} step={step} />
        {against && <p><strong class={tone(timeOf(step) - timeOf(against))}>{signed(timeOf(step) - timeOf(against))}{factor(timeOf(against), timeOf(step)) && `, ${factor(timeOf(against), timeOf(step))}`}</strong></p>}
        {against && <Differing step={step} against={against} />}
        <p class="legend">{names.map((one) => <span><Swatch colour={colour(one)} /> {one}</span>)}<span><Swatch colour={REST} /> gaps and host</span></p>
        {(against ? [against, step] : [step]).map((one) => <Shares step={one} most={Math.max(timeOf(step), against ? timeOf(against) : 0)} colour={colour} />)}
      </Section>
      <Launches steps={steps} values={values} colour={colour} />
      <LayersOf step={step} against={against} colour={colour} />
      {[against, step].map((one) => one?.energy && <EnergyOfStep name={against && (one === step ? `B ${name}` : `A ${steps.against_name}`)} step={one} energy={one.energy} colour={colour} />)}
      <Section title="Memory of a SIP" hint="Weights and keys and values of the batch; what is taken also has activations and what rounding costs.">
        <div class="columns">{against && <Memory title={`A ${steps.against_name}`} step={against} />}<Memory title={against ? `B ${name}` : ''} step={step} /></div>
      </Section>
      <Exact steps={steps} name={name} />
    </>
  );
}

const SETTINGS: (keyof Step)[] = ['model', 'machine', 'dtype', 'phase', 'batch', 'tp', 'dp'];

const MOST_KEYS = 12;

function Differing({ step, against }: { step: Step; against: Step }) {
  const pairs = SETTINGS.filter((key) => step[key] !== against[key]).map((key) => `${key}: ${against[key]} → ${step[key]}`);
  const before = against.config ?? {}, after = step.config ?? {};
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => before[key] !== after[key]).sort();
  for (const key of keys.slice(0, MOST_KEYS)) pairs.push(`${key}: ${before[key] ?? 'none'} → ${after[key] ?? 'none'}`);
  if (keys.length > MOST_KEYS) pairs.push(`${keys.length - MOST_KEYS} more keys of the machine`);
  return <p class={pairs.length > 0 ? 'warn' : 'hint'}>{pairs.length > 0 ? `They differ in ${pairs.join('; ')}.` : 'Model, plan, batch and machine are the same.'}</p>;
}

function Headline({ label, name, step }: { label: string; name: string; step: Step }) {
  return (
    <p class="facts-line">
      {label && <span>{label} <strong>{name}</strong></span>}
      <span>{phaseText(step)} <strong>{ns(timeOf(step))}</strong></span><span><strong>{count(Math.round(step.tokens_per_s))}</strong> tokens/s</span>
      <span>least time {ns(step.roofline_ns)}, {percent(step.roofline_share)} of it</span><span>{step.dtype}, tp {step.tp}{step.dp > 1 && `, dp ${step.dp}`}</span><span>{step.machine}</span>
    </p>
  );
}

function Shares({ step, most, colour }: { step: Step; most: number; colour: (name: string) => string }) {
  let at = 0;
  const parts = partsOf(step), x = (time: number) => (time / most) * 1000;
  return (
    <svg class="bar shares" viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label={parts.map((part) => `${part.name} ${percent(part.ns / timeOf(step))}`).join(', ')}>
      {parts.map((part) => { const from = at; at += part.ns; return <rect x={x(from)} width={Math.max(0, x(part.ns) - 0.6)} height="24" fill={colour(part.name)}><title>{part.name} {ns(part.ns)}, {percent(part.ns / timeOf(step))}</title></rect>; })}
    </svg>
  );
}

interface Row { part: Part; before: Part | null; there: boolean }
const KEYS: [key: string, label: string, value: (row: Row) => number | string, number: boolean][] = [
  ['launch', 'launch', ({ part }) => part.name, false], ['time', 'all', ({ part }) => part.ns, true], ['count', 'count', ({ part }) => part.row?.count ?? 0, true],
  ['each', 'each', ({ part }) => part.row?.most_ns ?? 0, true], ['least', 'least time', ({ part }) => part.row?.roofline_ns ?? 0, true],
  ['reached', 'of least', ({ part }) => (part.row && part.ns > 0 ? part.row.roofline_ns / part.ns : 0), true], ['limit', 'limit', ({ part }) => part.row?.limiter ?? '', false], ['kernel', 'kernel', ({ part }) => part.kernel, false],
];
const DIFFERENCE: typeof KEYS = [['before', 'A', ({ before }) => before?.ns ?? 0, true], ['change', 'B − A', ({ part, before, there }) => (there ? part.ns : 0) - (before?.ns ?? 0), true]];

function rowsOf({ step, against }: Steps): Row[] {
  const parts = partsOf(step), others = against ? partsOf(against) : [];
  const rows = parts.map((part): Row => ({ part, before: others.find(({ name }) => name === part.name) ?? null, there: true }));
  return [...rows, ...others.filter(({ name }) => !parts.some((part) => part.name === name)).map((before): Row => ({ part: { ...before, ns: 0, row: null }, before, there: false }))];
}

function Launches({ steps, values, colour }: { steps: Steps; values: URLSearchParams; colour: (name: string) => string }) {
  const { step, against } = steps, to: To = (changed) => hrefOf(null, 'step', { ...Object.fromEntries(values), ...changed });
  const keys = against ? [KEYS[0], DIFFERENCE[0], ['time', 'B', KEYS[1][2], true] as typeof KEYS[number], DIFFERENCE[1], ...KEYS.slice(2)] : KEYS;
  const sort = keys.find(([key]) => key === values.get('sort')), descending = values.get('order') === 'desc', rows = rowsOf(steps);
  if (sort) rows.sort((a, b) => { const x = sort[2](a), y = sort[2](b), order = x < y ? -1 : x > y ? 1 : 0; return descending ? -order : order; });
  const most = Math.max(...rows.map(({ part }) => part.ns), 1e-9);
  const each = ({ row }: Part): string => (!row ? '' : row.least_ns === row.most_ns ? ns(row.least_ns) : `${ns(row.least_ns)} to ${ns(row.most_ns)}`);
  const cell = (key: string, row: Row) => {
    const { part, before, there } = row, change = (there ? part.ns : 0) - (before?.ns ?? 0);
    if (key === 'launch') return <th scope="row"><Swatch colour={colour(part.name)} /> {part.name}</th>;
    if (key === 'kernel') return <td>{part.kernel}</td>;
    if (key === 'limit') return <td>{part.row?.limiter}</td>;
    const text = key === 'count' ? part.row && count(part.row.count) : key === 'each' ? each(part) : key === 'time' ? (there ? ns(part.ns) : '–') : key === 'before' ? (before ? ns(before.ns) : '–')
      : key === 'change' ? signed(change) : !part.row?.limiter ? '' : key === 'least' ? ns(part.row.roofline_ns) : part.ns > 0 && percent(part.row.roofline_ns / part.ns);
    return <td class={`number ${key === 'change' ? tone(change) ?? '' : ''}`}>{text}</td>;
  };
  const shareAfter = against ? 'change' : 'time', share = ({ part, there }: Row) => (
    <td class="bars"><span class="sharebar"><svg class="linebar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width={(100 * part.ns) / most} height="10" fill={colour(part.name)} /></svg> {there && percent(part.ns / timeOf(step))}</span></td>
  );
  return (
    <Section title="Launches" hint="All launches of a name together, on the slowest SIP. Rows far below 100 % of the least time are where a better kernel or machine pays.">
      <div class="scrollx"><table class="data steps">
        <thead><tr>{keys.map(([key, label, , number]) => <><Head label={label} name={key} sort={sort?.[0] ?? ''} descending={descending} to={to} number={number} />{key === shareAfter && <th scope="col">share</th>}</>)}</tr></thead>
        <tbody>{rows.map((row) => <tr>{keys.map(([key]) => <>{cell(key, row)}{key === shareAfter && share(row)}</>)}</tr>)}</tbody>
      </table></div>
    </Section>
  );
}

function LayersOf({ step, against, colour }: { step: Step; against: Step | null; colour: (name: string) => string }) {
  const layers = layersOf(step), other = against ? layersOf(against) : null;
  if (layers.count === 0) return null;
  const least = Math.min(...layers.sums), most = Math.max(...layers.sums), top = Math.max(most, ...(other?.sums ?? [])) / 1e9;
  return (
    <Section title={`Time of each of ${count(layers.count)} layers`} hint={`${duration(least) === duration(most) ? `Each layer takes ${duration(most)}` : `From ${duration(least)} to ${duration(most)}`}, without the gaps between launches${other?.count ? '; the line is A' : ''}.`}>
      <Box>{(width) => {
        const font = px(FONT), height = px(HEIGHT), bottom = height - font * 3.4, left = font * 5, x = linear(0, Math.max(layers.count, other?.count ?? 0), left, width - px(16)), y = linear(0, top * 1.05, bottom, px(14));
        return (
          <svg class="sweepfigure" width={width} height={height} viewBox={`0 0 ${width} ${height}`} font-size={font} role="img" aria-label={`time of each layer, from ${duration(least)} to ${duration(most)}`}>
            <Axes x={x} y={y} width={width} height={height} left={left} bottom={bottom} names={['layer', 'µs']} />
            {layers.sums.map((sum, layer) => {
              let at = 0;
              const full = x.at(layer + 1) - x.at(layer), wide = Math.max(0.5, Math.min(full - Math.min(2, full * 0.2), px(60)));
              return <g>{layers.rows.map(({ op, fs }) => { const from = at; at += fs[layer] / 1e9; return <rect fill={colour(op)} x={x.at(layer) + (full - wide) / 2} width={wide} y={y.at(at)} height={y.at(from) - y.at(at)}><title>layer {layer}: {op} {duration(fs[layer])} of {duration(sum)}</title></rect>; })}</g>;
            })}
            {other && <polyline class="markline" fill="none" points={other.sums.map((sum, layer) => `${x.at(layer + 0.5)},${y.at(sum / 1e9)}`).join(' ')} />}
          </svg>
        );
      }}</Box>
    </Section>
  );
}

function EnergyOfStep({ name, step, energy, colour }: { name: string | null; step: Step; energy: NonNullable<Step['energy']>; colour: (name: string) => string }) {
  const rows = [...step.by_op.map(({ op, energy: one }) => ({ op, one })), { op: 'static power, refresh', one: energy.nobodys }];
  return (
    <EnergySection energy={energy} facts={<><span>{joules(energy.fj_per_token)} per token</span>{name && <span>{name}</span>}</>} beside={(
      <table class="facts">
        <caption>By launch, on all SIPs</caption>
        <tbody>{rows.map(({ op, one }) => one && one.fj > 0 && <tr><th scope="row"><Swatch colour={colour(op)} /> {op}</th><td class="number">{percent(one.fj / energy.fj)}</td><td class="number" title={range(one)}>{joules(one.fj)}</td></tr>)}</tbody>
      </table>
    )} />
  );
}

function Memory({ title, step: { memory } }: { title: string; step: Step }) {
  const rest = Math.max(0, memory.taken_bytes - memory.weight_bytes - memory.cache_bytes);
  const row = (label: string, bytes: number) => (
    <tr>
      <th scope="row">{label}</th><td class="number">{bytesText(bytes)}</td><td class="number dim">{percent(bytes / memory.there_bytes)}</td>
      <td class="meter"><svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect class="fill" width={(1000 * bytes) / memory.there_bytes} height="10" /></svg></td>
    </tr>
  );
  return (
    <table class="facts">
      {title && <caption>{title}</caption>}
      <tbody>{row('weights', memory.weight_bytes)}{row('keys and values', memory.cache_bytes)}{row('the rest', rest)}{row('taken', memory.taken_bytes)}<tr><th scope="row">there</th><td class="number">{bytesText(memory.there_bytes)}</td><td /><td /></tr></tbody>
    </table>
  );
}

function Exact({ steps, name }: { steps: Steps; name: string }) {
  const list = steps.against ? [[`A ${steps.against_name}: `, steps.against], [`B ${name}: `, steps.step]] as const : [['', steps.step]] as const;
  return (
    <Section title="How exact">
      {list.map(([label, { approximations, memo, sample }]) => (
        <>
          <p>{label}{approximations.length === 0 ? 'Every time is that of a simulation of the whole step' : 'Not exact'}; {count(memo.simulated)} launches were simulated, {count(memo.known)} were known from these.
            {sample && ` ${count(sample.layers)} of ${count(sample.of_layers)} layers were simulated, from ${ns(sample.layer_least_ns)} to ${ns(sample.layer_most_ns)}, ${ns(sample.layer_mean_ns)} on average.`}</p>
          {approximations.length > 0 && <ul class="abstractions">{approximations.map((one) => <li>{cellText(one)}</li>)}</ul>}
        </>
      ))}
    </Section>
  );
}
