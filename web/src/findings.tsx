// Findings of the program about the run's time; names link to the machine.
import { runs, type Run } from './api';
import { href } from './address';
import { LadderHint } from './ladder_hint';
import { kernelSpan, Linked } from './resources';
import { Section } from './section';
import { duration } from './time';

export const text = (value: unknown): string => (value === null || value === undefined ? '' : String(value));

// `beside` the ladder.
export function Findings({ run, beside = false }: { run: Run; beside?: boolean }) {
  if (run.findings.length === 0) return null;
  return (
    <Section title="Findings" hint="What makes it slow, the worst first; each is the most that fixing only this gains.">
      {!(beside && run.why) && <LadderHint run={run} />}
      <ol class="findings">
        {run.findings.slice(0, 12).map((finding) => {
          const launch = run.launches.find(({ id }) => id === finding.launch), span = kernelSpan(launch), factor = finding.factor ?? 1;
          return (
            <li>
              <strong><Linked text={finding.headline} span={span} /></strong>
              <span class="gain">up to {duration(finding.gain_ns * 1e6)} of {duration(finding.of_ns * 1e6)}{factor > 1 && ` (${factor.toFixed(2)}x)`}
                {finding.launch !== null && <> · <a href={href('overview', { launch: finding.launch })}>launch #{finding.launch}{launch && ` ${runs(launch)}`}</a></>}</span>
              {finding.evidence.map((line) => <p><Linked text={line} span={span} /></p>)}
              {finding.remedy !== '' && <p class="try">Try: {finding.remedy}</p>}
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
