// Kernel: its tensors, its ranges, and its lines where their source is not known.
import { useState } from 'preact/hooks';
import { lineKey, lineText, rangesOf, sumsBy, sumsByTensor, type Account, type Place, type RangeSums, type Sums } from './kernel_lines';
import { HeldBy, kernelHref, lineHref, longestOf, operationsHref, TIME_HEADS, TimeCells, USE_HEADS, UseCells, type Chosen } from './kernel_parts';
import { isReport } from './answers';
import { Section } from './section';
import { count } from './time';

const MOST_TENSORS = 12, MOST_OPEN = 12, MOST_LINES = 400, MOST_OF_TENSOR = 6;

// Each line once, in order.
const linesOf = (places: Place[]): Place[] => [...new Map(places.filter(({ line }) => line > 0).map((place) => [lineKey(place), place])).values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));

export function Tensors({ account, chosen }: { account: Account; chosen: Chosen }) {
  const [all, setAll] = useState(false);
  const tensors = [...sumsByTensor(account)].sort((a, b) => b[1].ns - a[1].ns || b[1].waitNs - a[1].waitNs);
  if (tensors.length === 0) return null;
  const longest = longestOf(tensors.map(([, sums]) => sums));
  return (
    <Section title="By tensor" hint="The time in which the kernel waited for it, and what its transfers waited for.">
      <div class="scrollx"><table class="data tensors">
        <thead><tr><th scope="col">tensor</th>{TIME_HEADS}{USE_HEADS}<th scope="col">lines</th></tr></thead>
        <tbody>
          {tensors.slice(0, all ? undefined : MOST_TENSORS).map(([name, sums]) => (
            <tr>
              <th scope="row">{name}</th><TimeCells sums={sums} chosen={chosen} longest={longest} /><UseCells sums={sums} chosen={chosen} />
              <td>{linesOf(sums.places).slice(0, MOST_OF_TENSOR).map((place, i, own) => <>{i > 0 && ', '}<a href={lineHref(chosen, place)} title={place.call}>{i > 0 && own[i - 1].file === place.file ? place.line : lineText(place)}</a></>)}</td>
            </tr>
          ))}
        </tbody>
      </table></div>
      {!all && tensors.length > MOST_TENSORS && <button type="button" onClick={() => setAll(true)}>all {count(tensors.length)} tensors</button>}
    </Section>
  );
}

export function Ranges({ account, chosen }: { account: Account; chosen: Chosen }) {
  const top = rangesOf(account);
  const [changed, setChanged] = useState<Set<string>>(new Set());
  if (top.length === 0) return null;
  const opensAtFirst = top.length <= MOST_OPEN;
  const isOpen = (range: RangeSums): boolean => (opensAtFirst && range.depth === 0) !== changed.has(range.path);
  const shown = (ranges: RangeSums[]): RangeSums[] => ranges.flatMap((range) => [range, ...(isOpen(range) ? shown(range.inner) : [])]);
  const toggle = (path: string) => { const next = new Set(changed); if (!next.delete(path)) next.add(path); setChanged(next); };
  const longest = longestOf(top.map(({ sums }) => sums));
  return (
    <Section title="By range" hint="What the kernel names by tl.range; a range contains those inside it. A click shows its lines alone.">
      <div class="scrollx"><table class="data ranges">
        <thead><tr><th scope="col">range</th>{TIME_HEADS}{USE_HEADS}</tr></thead>
        <tbody>
          {shown(top).map((range) => (
            <tr class={range.path === chosen.range ? 'chosen' : undefined}>
              <th scope="row"><span style={`padding-left:${range.depth * 1.2}em`} />
                {range.inner.length > 0
                  ? <button type="button" class="fold" aria-expanded={isOpen(range)} aria-label={`${isOpen(range) ? 'Fold' : 'Unfold'} ${range.path}`} onClick={() => toggle(range.path)}>{isOpen(range) ? '▾' : '▸'}</button>
                  : <span class="leaf" />}
                <a href={kernelHref(chosen, { range: range.path === chosen.range ? '' : range.path })} aria-current={range.path === chosen.range ? 'true' : undefined}>{range.name}</a></th>
              <TimeCells sums={range.sums} chosen={chosen} longest={longest} /><UseCells sums={range.sums} chosen={chosen} />
            </tr>
          ))}
        </tbody>
      </table></div>
    </Section>
  );
}

const NO_LINE = 'end of the kernel, distribution of the launch';

// The places of `account` that `isShown`, the longest first.
export function Lines({ account, chosen, title, isShown }: { account: Account; chosen: Chosen; title: string; isShown: (place: Place) => boolean }) {
  const lines = [...sumsBy<Place>(account, ({ at }) => (isShown(at) ? at : null), ({ at }) => (isShown(at) ? at : null))]
    .sort((a, b) => b[1].ns - a[1].ns || b[1].waitNs - a[1].waitNs);
  if (lines.length === 0) return null;
  const longest = longestOf(lines.map(([, sums]) => sums));
  return (
    <Section title={title}>
      <div class="scrollx"><table class="data">
        <thead><tr><th scope="col">line</th><th scope="col">tensor</th><th scope="col">range</th>{TIME_HEADS}<th scope="col">held by</th>{USE_HEADS}</tr></thead>
        <tbody>{lines.slice(0, MOST_LINES).map(([place, sums]) => <LineRow place={place} sums={sums} chosen={chosen} longest={longest} />)}</tbody>
      </table></div>
      {lines.length > MOST_LINES && <p class="hint">And {count(lines.length - MOST_LINES)} that took less.</p>}
    </Section>
  );
}

function LineRow({ place, sums, chosen, longest }: { place: Place; sums: Sums; chosen: Chosen; longest: number }) {
  const text = place.line > 0 ? `${lineText(place)} ${place.call}` : NO_LINE;
  const hasOperations = chosen.run.has_operations && !isReport && place.line > 0;
  return (
    <tr>
      <th scope="row" title={place.file}>{hasOperations ? <a href={operationsHref(chosen, lineKey(place))} title="Its operations">{text}</a> : text}</th>
      <td>{place.tensor}</td><td>{place.range}</td>
      <TimeCells sums={sums} chosen={chosen} longest={longest} />
      <td><HeldBy sums={sums} chosen={chosen} /></td>
      <UseCells sums={sums} chosen={chosen} />
    </tr>
  );
}
