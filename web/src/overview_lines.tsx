// Overview: the lines of kernels that took longest, and what they waited for.
import type { Run } from './api';
import { lineKey, lineText } from './kernel_lines';
import { AtResource, hrefOfKernel, sharesText } from './kernel_parts';
import { kernelSpan } from './resources';
import type { LineTime, LineUse } from './result';
import { Section } from './section';
import { duration, percent } from './time';
import { KINDS, labelOf } from './words';

const MOST = 3;

// What the transfers of the line, or of the one that held it, waited for most.
function longestWait(run: Run, { kernel, at, held_by }: LineTime): [role: string, use: LineUse] | null {
  const cause = held_by ?? at, key = lineKey(cause);
  const own = run.transfers.filter((one) => one.kernel === kernel && lineKey(one.at) === key && one.at.tensor === cause.tensor);
  const uses = own.flatMap(({ uses: roles }) => Object.entries(roles)).filter(([, use]) => use.wait_ns > 0);
  return uses.sort((a, b) => b[1].wait_ns - a[1].wait_ns)[0] ?? null;
}

export function LongestLines({ run }: { run: Run }) {
  const lines = run.lines.filter(({ at, time_ns: ns }) => at.line > 0 && ns > 0).slice(0, MOST);
  if (lines.length === 0) return null;
  return (
    <Section title="Longest lines">
      <ol class="longlines">
        {lines.map((line) => {
          const { kernel, at, held_by: held, time_ns: ns } = line, tensor = held?.tensor || at.tensor, wait = longestWait(run, line);
          const whole = run.kernels.find((one) => one.kernel === kernel)?.exec_ns ?? ns;
          return (
            <li>
              <strong>{percent(ns / whole)}</strong> of {kernel}, {duration(ns * 1e6)}: <a href={hrefOfKernel(run, kernel, { line: lineKey(at) })}>{lineText(at)} {at.call}</a>
              {held && <>, held by <a href={hrefOfKernel(run, kernel, { line: lineKey(held) })}>{lineText(held)} {held.call}</a></>}
              {tensor && <>, tensor <strong>{tensor}</strong></>}
              <span class="dim">; {sharesText(new Map(Object.entries(line.shares)), ns)}{wait && <>; its transfers waited for {labelOf(KINDS, wait[0])}{wait[1].most_at && <>, most at <AtResource name={wait[1].most_at} span={kernelSpan(run.launches.find((one) => one.kernel === kernel))} /></>}</>}</span>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
