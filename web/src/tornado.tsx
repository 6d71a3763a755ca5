// The tornado of `kernbench why --machine`: what each key of the machine does to the time of the run.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Run } from './api';
import type { Tornado as Measured, TornadoKey, TornadoTrial } from './result';
import { Section } from './section';
import { count, duration, exact, fromNs } from './time';

const ROWS = 25, MOST_LETTERS = 8;  // of a value beside its bar

type Timed = TornadoTrial & { time_ns: number };
const timed = (key: TornadoKey): Timed[] => key.trials.filter((trial): trial is Timed => trial.time_ns !== null);
const changeText = (ns: number, base: number): string => `${ns < base ? '−' : '+'}${Math.abs(100 * (ns / base - 1)).toFixed(2)} %`;
const shortened = (value: string): string => (value.length > MOST_LETTERS ? `${value.slice(0, MOST_LETTERS)}…` : value);

interface Scale { base: number; low: number; high: number }

function scaleOf({ time_ns: base, keys }: Measured): Scale {
  const times = [base, ...keys.flatMap(timed).map(({ time_ns: ns }) => ns)];
  return { base, low: times.reduce((a, b) => Math.min(a, b)), high: times.reduce((a, b) => Math.max(a, b)) };
}

// A rectangle on each side of the time of the run, with the value that gives its end.
function Swing({ trials, scale: { base, low, high } }: { trials: Timed[]; scale: Scale }) {
  const at = (ns: number): number => (100 * (ns - low)) / Math.max(high - low, 1e-6);
  const extreme = (better: (a: number, b: number) => boolean): Timed | null => trials.reduce<Timed | null>((best, one) => (better(one.time_ns, best?.time_ns ?? base) ? one : best), null);
  const side = (trial: Timed | null) => trial && (
    <>
      <rect class={trial.time_ns > base ? 'more' : 'less'} x={`${Math.min(at(trial.time_ns), at(base))}%`} width={`${Math.abs(at(trial.time_ns) - at(base))}%`} y="15%" height="70%" />
      <text x={`${at(trial.time_ns)}%`} y="72%" dx={trial.time_ns > base ? '.4em' : '-.4em'} text-anchor={trial.time_ns > base ? 'start' : 'end'}>{shortened(trial.value)} <tspan>{changeText(trial.time_ns, base)}</tspan></text>
    </>
  );
  return (
    <svg class="swing" width="100%" role="img" aria-label={trials.map(({ value, time_ns: ns }) => `${value}: ${changeText(ns, base)}`).join(', ')}>
      {side(extreme((a, b) => a < b))}
      {side(extreme((a, b) => a > b))}
      <rect class="boundmark" x={`${at(base)}%`} width="2" height="100%" />
    </svg>
  );
}

function Row({ entry, scale }: { entry: TornadoKey; scale: Scale }) {
  const trials = timed(entry);
  return (
    <tr>
      <th scope="row">
        <span class="keyname" tabIndex={0}>{entry.key} <span class="dim">= {entry.value}</span>
          <span class="meaning">{[...(entry.text ? [entry.text] : []), ...trials.map(({ value, time_ns: ns }) => `${value}: ${exact(fromNs(ns))}`)].join('; ')}</span></span>
      </th>
      <td><Swing trials={trials} scale={scale} /></td>
    </tr>
  );
}

function Bars({ tornado, keys }: { tornado: Measured; keys: TornadoKey[] }) {
  const [all, setAll] = useState(false), scale = scaleOf(tornado);
  if (keys.length === 0) return <p class="hint">No key changes the time.</p>;
  return (
    <>
      <p class="legend">
        <span><span class="key boundmark" /> the run as it is, {duration(scale.base * 1e6)}</span>
        <span><span class="key less" /> faster, down to {duration(scale.low * 1e6)}</span><span><span class="key more" /> slower, up to {duration(scale.high * 1e6)}</span>
      </p>
      <table class="data tornado"><tbody>{keys.slice(0, all ? undefined : ROWS).map((key) => <Row entry={key} scale={scale} />)}</tbody></table>
      {!all && keys.length > ROWS && <p class="tools"><button type="button" onClick={() => setAll(true)}>all {count(keys.length)}</button></p>}
    </>
  );
}

function Fold({ title, items }: { title: string; items: ComponentChildren[] }) {
  return items.length > 0 ? <details><summary>{title} ({count(items.length)})</summary><ul>{items.map((item) => <li>{item}</li>)}</ul></details> : null;
}

function Shown({ tornado }: { tornado: Measured }) {
  const each = (keep: (trial: TornadoTrial) => boolean) => tornado.keys.flatMap((key) => key.trials.filter(keep).map((trial) => ({ key, trial })));
  const name = ({ key, trial }: { key: TornadoKey; trial: TornadoTrial }) => <code>{key.key}={trial.value}</code>;
  return (
    <Section title="What each key of the machine does, measured" hint="Each is changed alone, and the run made again; routes, algorithms and tiles are chosen again. What a key means stands behind its name.">
      <Bars tornado={tornado} keys={tornado.keys.filter((key) => key.swing_ns > 0)} />
      <Fold title="Not run, because the budget is spent; the same command goes on" items={each((trial) => trial.not_run).map(name)} />
      <Fold title="Change nothing here" items={tornado.keys.filter((key) => key.swing_ns === 0 && timed(key).length > 0).map((key) => <><code>{key.key}</code> {key.text}</>)} />
      <Fold title="Make no machine or no run" items={each((trial) => trial.problem !== '').map((one) => <>{name(one)} {one.trial.problem.replace(`--set: ${one.key.key}: `, '')}</>)} />
      <Fold title="Not tried: names, places, models, and what follows from other keys" items={tornado.not_tried.map((key) => <code>{key}</code>)} />
    </Section>
  );
}

export function Tornado({ run }: { run: Run }) {
  if (run.tornado_problem) return <p class="message warn">The keys of the machine are not shown: {run.tornado_problem}.</p>;
  return run.tornado ? <Shown tornado={run.tornado} /> : <p class="hint"><code>kernbench why --machine DIR</code> measures what each key of the machine does alone.</p>;
}
