// Findings of the program about the run's time; names link to the machine.
import { runs, type Run } from './api';
import { href } from './address';
import { kernelSpan, Linked } from './resources';
import { Section } from './section';
import { duration } from './time';

const ns = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
export const text = (value: unknown): string => (value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value));

// A finding of a newer program may have other members; the known ones are shown.
export function Findings({ run }: { run: Run }) {
  const { findings } = run;
  if (!Array.isArray(findings) || findings.length === 0) return null;
  return (
    <Section title="Findings" hint="What makes it slow, the largest gain first; each is the estimated gain if only this were fixed.">
      <ol class="findings">
        {findings.slice(0, 12).map((finding) => {
          if (typeof finding !== 'object' || finding === null) return <li>{text(finding)}</li>;
          const f = finding as Record<string, unknown>;
          const evidence = Array.isArray(f.evidence) ? f.evidence : f.evidence === undefined ? [] : [f.evidence];
          const launch = run.launches.find(({ id }) => id !== undefined && id === f.launch);
          const span = kernelSpan(launch);
          const gain = ns(f.gain_ns), whole = ns(f.of_ns), factor = ns(f.factor);
          return (
            <li>
              <strong><Linked text={text(f.headline ?? f.title ?? f.rule)} span={span} /></strong>
              {gain > 0 && (
                <span class="gain">up to {duration(gain * 1e6)}{whole > 0 && ` of ${duration(whole * 1e6)}`}{factor > 1 && ` (${factor.toFixed(2)}x)`}
                  {f.launch !== null && f.launch !== undefined && <> · <a href={href('overview', { launch: text(f.launch) })}>launch #{text(f.launch)}{launch && ` ${runs(launch)}`}</a></>}</span>
              )}
              {evidence.map((line) => <p><Linked text={text(line)} span={span} /></p>)}
              {f.remedy !== undefined && f.remedy !== '' && <p class="try">Try: {text(f.remedy)}</p>}
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
