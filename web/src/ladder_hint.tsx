// What `kernbench why` measured, in a sentence.
import type { Run } from './api';
import { href } from './address';
import { count } from './time';

export const gainText = (before: number, after: number): string => (after > 0 ? `${(before / after).toFixed(2)}x` : '');

// The ladder in a sentence, or the command that measures one.
export function LadderHint({ run }: { run: Run }) {
  const { why, why_problem: problem } = run;
  if (problem) return <p class="hint">Each is a bound. There is a ladder that is not shown: <a href={href('why')}>why</a>.</p>;
  if (!why) return <p class="hint">Each is a bound: <code>kernbench why DIR</code> measures what the run waits for, and what can be changed.</p>;
  const [first] = why.steps, last = why.steps[why.steps.length - 1];
  return (
    <p class="hint">
      Each is a bound. <a href={href('why')}>Measured</a>:{' '}
      {first ? `${gainText(why.time_ns, first.time_ns)} by the first step (${first.text})` : 'nothing that is taken away gains 1 %'}
      {why.steps.length > 1 && `, ${gainText(why.time_ns, last.time_ns)} by all ${count(why.steps.length)} steps`}.
    </p>
  );
}
