// Kernel: its source, and beside each line what it did.
import { useEffect, useRef, useState } from 'preact/hooks';
import { isReport } from './answers';
import type { Sums } from './kernel_lines';
import { HeldBy, operationsHref, TIME_HEADS, TimeCells, USE_HEADS, UseCells, type Chosen } from './kernel_parts';
import { Section } from './section';
import { count } from './time';

const AROUND = 6, LEAST_GAP = 20;  // lines that stay around those with an account; a shorter gap is shown

interface Gap { from: number; to: number }  // [from, to) of line numbers

// Long parts of a file in which nothing happened.
function gapsOf(lines: number, busy: number[]): Gap[] {
  const gaps: Gap[] = [];
  let from = 1;
  for (const line of [...busy, lines + 1 + AROUND]) {
    if (line - AROUND - from >= LEAST_GAP) gaps.push({ from, to: line - AROUND });
    from = Math.max(from, line + AROUND + 1);
  }
  return gaps;
}

export function Source({ file, text, sums, chosen, longest, line }: { file: string; text: string; sums: Map<string, Sums>; chosen: Chosen; longest: number; line: string }) {
  const [opened, setOpened] = useState<Set<number>>(new Set());
  const lines = text.replace(/\n$/, '').split('\n');
  const busy = lines.map((_, i) => i + 1).filter((number) => sums.has(`${file}:${number}`) || line === `${file}:${number}`);
  const gaps = gapsOf(lines.length, busy).filter(({ from }) => !opened.has(from));
  const rows = lines.map((code, i) => ({ code, number: i + 1, gap: gaps.find(({ from, to }) => i + 1 >= from && i + 1 < to) }))
    .filter(({ number, gap }) => !gap || gap.from === number);
  return (
    <Section title={file}>
      <div class="scrollx"><table class="data source">
        <thead><tr><th scope="col" class="number">line</th><th scope="col">source</th>{TIME_HEADS}<th scope="col">held by</th>{USE_HEADS}</tr></thead>
        <tbody>
          {rows.map(({ code, number, gap }) => (gap
            ? <tr class="gap"><td /><td colSpan={7}><button type="button" onClick={() => setOpened(new Set(opened).add(gap.from))}>{count(gap.to - gap.from)} lines in which nothing happened</button></td></tr>
            : <SourceLine code={code} number={number} sums={sums.get(`${file}:${number}`)} at={`${file}:${number}`} chosen={chosen} longest={longest} isChosen={line === `${file}:${number}`} />))}
        </tbody>
      </table></div>
    </Section>
  );
}

function SourceLine(props: { code: string; number: number; at: string; sums: Sums | undefined; chosen: Chosen; longest: number; isChosen: boolean }) {
  const { code, number, at, sums, chosen, longest, isChosen } = props;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => { if (isChosen) row.current?.scrollIntoView({ block: 'center' }); }, [isChosen]);
  const operations = sums && chosen.run.has_operations && !isReport ? operationsHref(chosen, at) : undefined;
  const follow = (event: MouseEvent) => {
    if (operations && !(event.target as Element).closest('a') && !getSelection()?.toString()) location.hash = operations;
  };
  return (
    <tr ref={row} class={[sums ? 'used' : 'quiet', isChosen ? 'chosen' : ''].join(' ')} onClick={follow}>
      <td class="number">{operations ? <a href={operations} title="Its operations">{number}</a> : number}</td>
      <td class="code">{code}</td>
      <TimeCells sums={sums} chosen={chosen} longest={longest} />
      <td class="held">{sums && sums.held.size > 0 ? <HeldBy sums={sums} chosen={chosen} /> : null}</td>
      <UseCells sums={sums} chosen={chosen} />
    </tr>
  );
}
