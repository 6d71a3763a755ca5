// What a run cost in joules, by part, over time and by line (E-120); and a step of a model (M-101).
import type { ComponentChildren } from 'preact';
import type { Run } from './api';
import { lineKey, lineText } from './kernel_lines';
import { hrefOfKernel } from './kernel_parts';
import type { Energy, EnergyLine, EnergyPart } from './result';
import { Section, Swatch } from './section';
import { count, duration, percent } from './time';
import { colourOf, ENERGY, labelOf } from './words';

const MOST_LINES = 8;
const UNITS = ['fJ', 'pJ', 'nJ', 'µJ', 'mJ', 'J', 'kJ'];

const digits = (value: number): string => value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
// "12.3 µJ"
export function joules(fj: number): string {
  let value = fj, unit = 0;
  for (; value >= 999.5 && unit + 1 < UNITS.length; ++unit) value /= 1000;
  return `${unit === 0 ? count(value) : digits(value)} ${UNITS[unit]}`;
}
export const range = ({ low_fj: low, high_fj: high }: { low_fj: number; high_fj: number }): string => `${joules(low)} to ${joules(high)}`;
const colour = (name: string): string => colourOf(ENERGY, name) ?? '#9467bd';
const label = ({ name, label: own }: Pick<EnergyPart, 'name' | 'label'>): string => (ENERGY.some((word) => word.name === name) ? labelOf(ENERGY, name) : own);

// Power of the parts on top of each other.
function Power({ energy }: { energy: Energy }) {
  const width = energy.bin_ns ?? 0, parts = energy.parts.filter(({ bins_fj: bins }) => bins && bins.length > 1);
  if (width === 0 || parts.length === 0) return null;
  const bins = parts[0].bins_fj ?? [];
  const sums = bins.map((_, i) => parts.reduce((sum, part) => sum + (part.bins_fj?.[i] ?? 0), 0)), most = Math.max(...sums, 1e-9);
  const base = bins.map(() => 0);
  const x = (i: number) => (i / bins.length) * 1000, y = (fj: number) => 100 - (fj / most) * 100;
  const areas = parts.map((part) => {
    const lower = [...base];
    (part.bins_fj ?? []).forEach((fj, i) => { base[i] += fj; });
    const top = base.map((fj, i) => `${x(i)},${y(fj)} ${x(i + 1)},${y(fj)}`), bottom = lower.map((fj, i) => `${x(i + 1)},${y(fj)} ${x(i)},${y(fj)}`).reverse();
    return { part, points: [...top, ...bottom].join(' ') };
  });
  const watts = most / (width * 1e6);
  return (
    <figure class="power">
      <svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label={`power over time, at most ${digits(watts)} W`}>
        {areas.map(({ part, points }) => <polygon points={points} fill={colour(part.name)}><title>{label(part)}</title></polygon>)}
      </svg>
      <figcaption class="hint">Power over the run of {duration(width * bins.length * 1e6)}: at most {digits(watts)} W, mean of {duration(width * 1e6)}; on average {digits(energy.power_w ?? 0)} W.</figcaption>
    </figure>
  );
}

export type EnergyTotal = Pick<Energy, 'defaults' | 'fj' | 'low_fj' | 'high_fj' | 'power_w' | 'not_counted'> & Partial<Pick<Energy, 'pj_per_flop' | 'pj_per_byte'>>
  & { parts: Pick<EnergyPart, 'name' | 'label' | 'fj' | 'low_fj' | 'high_fj'>[] };

function Parts({ energy }: { energy: EnergyTotal }) {
  const most = Math.max(...energy.parts.map(({ high_fj: high }) => high), 1);
  return (
    <table class="facts energy">
      <caption>By part, with the range that its coefficients leave</caption>
      <tbody>
        {energy.parts.map((part) => (
          <tr>
            <th scope="row"><Swatch colour={colour(part.name)} /> {label(part)}</th>
            <td class="number">{percent(energy.fj > 0 ? part.fj / energy.fj : 0)}</td>
            <td class="number" title={range(part)}>{joules(part.fj)}</td>
            <td class="meter" title={range(part)}>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect class="host" x={(part.low_fj / most) * 100} width={Math.max(0.3, ((part.high_fj - part.low_fj) / most) * 100)} height="8" />
                <rect x={(part.fj / most) * 100} width="0.6" height="8" fill={colour(part.name)} />
              </svg>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Lines({ run, energy, lines }: { run: Run; energy: Energy; lines: EnergyLine[] }) {
  return (
    <table class="facts">
      <caption>By line, {Math.min(MOST_LINES, lines.length)} of {count(lines.length)}</caption>
      <tbody>
        {lines.slice(0, MOST_LINES).map((one) => {
          const parts = Object.entries(one.parts_fj).sort((a, b) => b[1] - a[1]).slice(0, 2).filter(([, fj]) => fj > 0);
          return (
            <tr>
              <th scope="row" class="long">
                {one.at.line > 0 ? <a href={hrefOfKernel(run, one.kernel, { line: lineKey(one.at) })}>{lineText(one.at)} {one.at.call}</a> : 'distribution of launches'}
                {one.at.tensor && ` ${one.at.tensor}`}
              </th>
              <td class="number">{percent(energy.fj > 0 ? one.fj / energy.fj : 0)}</td>
              <td class="number" title={range(one)}>{joules(one.fj)}</td>
              <td class="why">{parts.map(([name, fj]) => `${labelOf(ENERGY, name)} ${percent(fj / one.fj)}`).join(', ')}</td>
            </tr>
          );
        })}
        {energy.nobodys && energy.nobodys.fj > 0 && (
          <tr><th scope="row" class="long">no launch: static power, refresh, copies of the host</th><td class="number">{percent(energy.nobodys.fj / energy.fj)}</td><td class="number" title={range(energy.nobodys)}>{joules(energy.nobodys.fj)}</td><td class="why" /></tr>
        )}
      </tbody>
    </table>
  );
}

// Each coefficient with its source.
function Coefficients({ energy }: { energy: Energy }) {
  return (
    <details>
      <summary>Coefficients and their sources</summary>
      <table class="facts">
        <tbody>
          {energy.events.map((event) => (
            <tr>
              <th scope="row" class="long" title={event.text}>{event.part}.{event.name}</th>
              <td class="number">{percent(energy.fj > 0 ? event.fj / energy.fj : 0)}</td>
              <td class="number" title={range(event)}>{joules(event.fj)}</td>
              <td class="why">
                {event.value} {event.name === 'static' ? 'W' : `pJ per ${event.per}`}, {event.low} to {event.high}: {event.source}{event.node && ` (${event.node})`}{event.origin === 'given' && ', given'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

// `facts` follow the mean power; `children` stand below, `beside` next to the parts.
export function EnergySection({ energy, facts, above, beside, children }: { energy: EnergyTotal; facts?: ComponentChildren; above?: ComponentChildren; beside?: ComponentChildren; children?: ComponentChildren }) {
  return (
    <Section title="Energy" hint={`Counted events times coefficients (${energy.defaults}); half of all bits toggle. What is not counted stands below.`}>
      <p class="facts-line">
        <span><strong>{joules(energy.fj)}</strong>, {range(energy)}</span>
        <span>{digits(energy.power_w ?? 0)} W on average</span>
        {facts}
        {energy.pj_per_flop != null && <span>{digits(energy.pj_per_flop)} pJ per FLOP</span>}
        {energy.pj_per_byte != null && <span>{digits(energy.pj_per_byte)} pJ per byte of HBM</span>}
      </p>
      {above}
      <div class="columns"><Parts energy={energy} />{beside}</div>
      <details><summary>Not counted</summary><ul class="plain">{energy.not_counted.map((phrase) => <li>{phrase}</li>)}</ul></details>
      {children}
    </Section>
  );
}

export function EnergyOf({ run }: { run: Run }) {
  const { energy } = run;
  if (!energy) return null;
  return (
    <EnergySection energy={energy} above={<Power energy={energy} />} beside={energy.lines && energy.lines.length > 0 && <Lines run={run} energy={energy} lines={energy.lines} />}>
      <Coefficients energy={energy} />
    </EnergySection>
  );
}
