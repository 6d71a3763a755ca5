// The ladder of `kernbench why`: what the run waits for, measured.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Run } from './api';
import { Command } from './command';
import { lineKey, lineText } from './kernel_lines';
import { hrefOfKernel } from './kernel_parts';
import { gainText } from './ladder_hint';
import { nodeOf } from './nodes';
import { longestLaunch } from './overview';
import { kernelSpan, Linked, machineOf } from './resources';
import type { Why, WhyStep, WhyTrial } from './result';
import { Section } from './section';
import { count, duration, exact, fromNs } from './time';

const MOST_TRIALS = 5;

// The formula of a collective is that of the run's own machine, and may take longer than the last step.
const boundWord = (why: Why): string => (why.bound_ns <= (why.steps[why.steps.length - 1]?.time_ns ?? why.time_ns) ? 'bound' : 'for comparison');

function Time({ ns }: { ns: number }) {
  return <span title={exact(fromNs(ns))}>{duration(ns * 1e6)}</span>;
}

// Lines of kernels in a sentence lead to the page Kernel, wires and blocks to the machine.
function Told({ text, run }: { text: string; run: Run }): ComponentChildren {
  const places = run.lines.flatMap(({ kernel, at, held_by: held }) => [at, ...(held ? [held] : [])].map((place) => ({ kernel, place })));
  const span = kernelSpan(longestLaunch(run));
  const link = (part: string): string | null => {
    const found = places.find(({ place }) => place.line > 0 && lineText(place) === part);
    const [from, to] = part.split(' -> ');
    if (found) return hrefOfKernel(run, found.kernel, { line: lineKey(found.place) });
    return nodeOf(from) && nodeOf(to ?? '') ? machineOf(from, span, `${from} → ${to}`) : null;
  };
  return (
    <>{text.split(/([\w.-]+:\d+|[\w.-]+ -> [\w.-]+)/).map((part, i) => {
      const address = i % 2 === 1 ? link(part) : null;
      return address ? <a href={address}>{part}</a> : <Linked text={part} span={span} />;
    })}</>
  );
}

// What is left of the time of the run, and what the step took away.
function Left({ why, before, ns, isBound }: { why: Why; before: number; ns: number; isBound?: boolean }) {
  const at = (end: number): number => Math.min(1000, (end / Math.max(why.time_ns, 1e-6)) * 1000);
  return (
    <td class="left">
      <svg class="bar" viewBox="0 0 1000 24" preserveAspectRatio="none" role="img" aria-label={`${duration(ns * 1e6)} left`}>
        <rect class={isBound ? 'outline' : 'fill'} width={at(ns)} height="24" />
        {before > ns && <rect class="less" x={at(ns)} width={at(before) - at(ns)} height="24" />}
      </svg>
      {why.bound !== '' && <i class="boundmark" style={`left:${at(why.bound_ns) / 10}%`} />}
    </td>
  );
}

function Row(props: { run: Run; why: Why; number: string; before: number; ns: number; step?: WhyStep; text: string; limiter: string; command?: string; isBound?: boolean }) {
  const { run, why, number, before, ns, step, text, limiter, command, isBound } = props;
  return (
    <tr class={isBound ? 'bound' : undefined}>
      <th scope="row" class="number step">{number}</th>
      <Left why={why} before={before} ns={ns} isBound={isBound} />
      <td class="number"><Time ns={ns} /></td>
      <td class="number" data-label="gain">{step && gainText(before, ns)}</td>
      <td class="number" data-label="so far">{number === '0' ? '' : gainText(why.time_ns, ns)}</td>
      <td class="wrap taken">
        {isBound ? <>{boundWord(why)}: <strong>{text}</strong></> : <Told text={text} run={run} />}
        {step?.families.map((family) => <span class="family" title={why.families[family]}>{family}</span>)}
        {typeof step?.chosen_again_ns === 'number' && <p class="hint">{duration(step.chosen_again_ns * 1e6)} when routes and algorithms are chosen again</p>}
        {command && <Command text={command} />}
      </td>
      <td class="wrap limits" data-label="limits now:">{limiter && <Told text={limiter} run={run} />}</td>
    </tr>
  );
}

function Steps({ run, why }: { run: Run; why: Why }) {
  return (
    <div class="scrollx"><table class="data ladder">
      <thead><tr>
        <th scope="col" class="number">step</th><th scope="col" class="left">left of the time</th><th scope="col" class="number">time</th><th scope="col" class="number">gain</th>
        <th scope="col" class="number">so far</th><th scope="col">taken away</th><th scope="col">what limits now</th>
      </tr></thead>
      <tbody>
        <Row run={run} why={why} number="0" before={why.time_ns} ns={why.time_ns} text="nothing: the run as it is" limiter={why.limiter} command={why.command} />
        {why.steps.map((step, i) => (
          <Row run={run} why={why} number={String(i + 1)} before={step.before_ns} ns={step.time_ns} step={step} text={step.text} limiter={step.limiter} command={step.command} />
        ))}
        {why.bound !== '' && <Row run={run} why={why} number="" before={why.bound_ns} ns={why.bound_ns} text={why.bound} limiter="" isBound />}
      </tbody>
    </table></div>
  );
}

function Trials({ run, why, trials, title, change, hint }: { run: Run; why: Why; trials: WhyTrial[]; title: string; change: string; hint: string }) {
  const [all, setAll] = useState(false);
  if (trials.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <p class="hint">{hint}</p>
      <table class="facts trials">
        <thead><tr><th scope="col" class="number">gain</th><th scope="col" class="number">time</th><th scope="col">{change}</th></tr></thead>
        <tbody>
          {trials.slice(0, all ? undefined : MOST_TRIALS).map((trial) => (
            <tr>
              <td class="number">{gainText(why.time_ns, trial.time_ns)}</td>
              <td class="number"><Time ns={trial.time_ns} /></td>
              <td><Told text={trial.text} run={run} /><Command text={trial.command} /></td>
            </tr>
          ))}
        </tbody>
      </table>
      {!all && trials.length > MOST_TRIALS && <button type="button" onClick={() => setAll(true)}>all {count(trials.length)}</button>}
    </div>
  );
}

function Shown({ run, why }: { run: Run; why: Why }) {
  const failed = why.failed_points > 0 ? `, of which ${count(why.failed_points)} make no machine or no run` : '';
  return (
    <Section title="What it waits for, measured" hint="Each step takes one more cause away and runs again; routes, algorithms and tiles stay as they are. A step is no purchase: it says how much time can be had there, and what limits then.">
      <p class="legend">
        <span><span class="key left" /> left</span><span><span class="key less" /> taken away by the step</span>
        {why.bound !== '' && <span><span class="key boundmark" /> {boundWord(why)}: {why.bound}, {duration(why.bound_ns * 1e6)}</span>}
      </p>
      <Steps run={run} why={why} />
      <p class="hint">
        {why.out_of_budget ? 'Cut: the budget is spent. The runs are kept, and the same command goes on.' : why.cut
          ? <>Cut after {count(why.steps.length)} {why.steps.length === 1 ? 'step' : 'steps'}: <code>kernbench why DIR --top {Math.max(5, 2 * why.steps.length)}</code> goes on from here.</>
          : 'The ladder ends here: no relief gains another 1 %, and no two of the best five do.'}
        {' '}{count(why.points)} runs of kernbench {why.version}{failed}. The time is that from the first submission of a launch to the last completion.
      </p>
      <div class="columns">
        <Trials run={run} why={why} trials={why.remedies} title="What you can change" change="change" hint="The best value of each parameter that gains 1 %; routes, algorithms and tiles are chosen again." />
        <Trials run={run} why={why} trials={why.others} title="Other first steps" change="taken away" hint="Each alone, on the run as it is." />
      </div>
      {why.remedies.length === 0 && <p class="hint">{why.out_of_budget ? 'What you can change was not tried: the budget is spent.' : 'No neighbour of a parameter gains 1 %.'}</p>}
      {why.unknown_accesses > 0 && (
        <p class="warn">{count(why.unknown_accesses)} accesses have indices or masks that data mode {run.data_mode} does not know; their times are assumed.
          For the times of the contents run with <code>--data eager</code>.</p>
      )}
    </Section>
  );
}

export function Ladder({ run }: { run: Run }) {
  if (run.why_problem) return <p class="message warn">The ladder is not shown: {run.why_problem}.</p>;
  return run.why ? <Shown run={run} why={run.why} /> : null;
}
