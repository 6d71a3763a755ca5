// A machine without a run: its parts, their attributes, and the rates of its wires.
import { useEffect, useMemo } from 'preact/hooks';
import { fetchMachine, fetchMachinePart, fetchNodes, json, type MachineOverview, type MachinePart, type MachineWire } from './api';
import { href } from './address';
import { useAnswer } from './hooks';
import { Path } from './machine';
import { MachineCanvas } from './machine_canvas';
import { cubePicture, overviewPicture, pePicture, type Picture, type Shape } from './machine_layout';
import { chipOf, isIn, nodeOf, partOf, readNodes, sipParts, type Part } from './nodes';
import { rateText } from './resources';
import { SiteHead, type Site } from './site';
import { count } from './time';

interface Block { id: string; kind: string; attributes: Record<string, unknown>; wires: MachineWire[] }
const fetchBlock = (id: string, signal: AbortSignal) => json<Block>(`/api/block?id=${encodeURIComponent(id)}`, signal);

const EMPTY: Picture = { width: 100, height: 100, shapes: [] };
const MOST_LISTED = 300;
const gbsText = (gbs: number): string => (gbs > 0 ? rateText(gbs) : 'no limit');
const plural = (number: number, one: string) => `${count(number)} ${number === 1 ? one : `${one}s`}`;

export function MachineAlone({ site, values }: { site: Site; values: URLSearchParams }) {
  const machine = useAnswer('machine', async (signal) => {
    const [found, nodes] = await Promise.all([fetchMachine(signal), fetchNodes()]);
    readNodes(nodes);
    return found;
  });
  useEffect(() => { document.title = `${site.name} · kernbench`; }, []);
  const chips = sipParts().flatMap((sip) => sip.below);
  const what = machine.value ? [plural(sipParts().length, 'SIP'), plural(chips.filter(({ level }) => level === 'cube').length, 'cube'),
    plural(machine.value.pe_count, 'PE')].join(', ') : '';
  return (
    <>
      <SiteHead site={site} what={what} />
      <main id="content" class="page full" tabIndex={-1}>
        {machine.failure ? <p class="message bad" role="alert">{machine.failure}</p> : !machine.value ? <p class="message" role="status">Reading the machine …</p> : <Shown machine={machine.value} values={values} />}
      </main>
    </>
  );
}

function Shown({ machine, values }: { machine: MachineOverview; values: URLSearchParams }) {
  const shown = partOf(values.get('at') ?? ''), at = shown?.id ?? '', mark = values.get('mark') ?? '';
  const cube = shown && shown.level !== 'sip' ? chipOf(at) : '';
  const to = (changed: Record<string, string | undefined>) => href('machine', { at, mark, ...('at' in changed ? { mark: undefined } : {}), ...changed });
  const part = useAnswer(cube, (signal) => fetchMachinePart(cube, signal));
  const picture = useMemo(() => {
    if (!cube) return overviewPicture(machine, at, [], [], '', 'busy');
    if (!part.value || part.key !== cube) return EMPTY;
    if (shown?.level === 'pe') return pePicture(part.value, at, machine, []);
    return cubePicture(part.value, shown?.level === 'cube' ? machine.cube_mm : [12.5, 7], machine.channels_per_slice, [], '', 'busy');
  }, [machine, at, part.value, part.key]);
  const wires = cube && part.key === cube ? part.value?.wires ?? [] : machine.wires;
  const rates = useMemo(() => new Map(wires.map(([from, to_, , gbs]) => [`${from} → ${to_}`, gbs])), [wires]);
  const kinds = useMemo(() => new Map(part.value?.nodes.map(([id, kind]) => [id, kind]) ?? []), [part.value]);
  const click = (shape: Shape) => { location.hash = to(shape.go && shape.go !== at ? { at: shape.go } : { mark: shape.id }).slice(1); };
  const says = (shape: Shape) => (shape.line ? [gbsText(rates.get(shape.id) ?? 0)] : [kinds.get(shape.id.split(' ')[0]) ?? ''].filter(Boolean));
  return (
    <div class="machine alone">
      <h1 class="unseen">Machine</h1>
      <div class="tools"><Path at={at} to={to} /></div>
      <div class="machineview" aria-busy={!!cube && part.key !== cube}>
        {part.failure && <p class="message bad" role="alert">{part.failure}</p>}
        <MachineCanvas picture={picture} measure="busy" ns={1} marked={mark} click={click} up={() => { if (shown) location.hash = to({ at: shown.above?.id ?? '' }).slice(1); }} says={says} />
        <p class="legend"><span>Click to look into a part; a block shows its attributes, a wire its rate. Keys: arrows, Enter, Escape.</span></p>
      </div>
      <aside class="hottest" aria-label="Parts">
        {mark && <Chosen mark={mark} wires={wires} none={to({ mark: undefined })} to={to} />}
        <Parts shown={shown} machine={machine} part={cube && part.key === cube ? part.value : null} to={to} />
      </aside>
    </div>
  );
}

function Wires({ wires, to, id }: { wires: MachineWire[]; id: string; to: (changed: Record<string, string | undefined>) => string }) {
  const inner = (node: string) => (node === id ? <span class="dim">{nodeOf(node)?.label ?? node}</span> : <a href={to({ mark: node })}>{node}</a>);
  return (
    <table class="facts">
      <caption>Wires</caption>
      <tbody>{wires.slice(0, MOST_LISTED).map(([from, to_, kind, gbs]) => <tr><td>{inner(from)} → {inner(to_)} <span class="dim">{kind}</span></td><td class="number">{gbsText(gbs)}</td></tr>)}</tbody>
    </table>
  );
}

const attributeText = (value: unknown): string => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value));

// A block, or a wire ("a → b").
function Chosen({ mark, wires, none, to }: { mark: string; wires: MachineWire[]; none: string; to: (changed: Record<string, string | undefined>) => string }) {
  const isWire = mark.includes(' → '), id = isWire ? '' : mark.split(' ')[0];
  const block = useAnswer(id, (signal) => fetchBlock(id, signal));
  const own = isWire ? wires.filter(([from, to_]) => mark === `${from} → ${to_}` || mark === `${to_} → ${from}`) : [];
  const attributes = block.key === id && block.value ? Object.entries(block.value.attributes) : [];
  return (
    <div class="chosenblock">
      <h2>{isWire ? 'Wire' : id}</h2>
      {block.failure && <p class="bad" role="alert">{block.failure}</p>}
      {isWire && <Wires wires={own} id="" to={to} />}
      {block.key === id && block.value && (
        <>
          <p class="hint">{block.value.kind.replace(/_/g, ' ')}</p>
          {attributes.length > 0 ? <table class="facts"><caption>Attributes</caption><tbody>{attributes.map(([key, value]) => <tr><th scope="row">{key}</th><td class="number">{attributeText(value)}</td></tr>)}</tbody></table> : <p class="hint">It has no attributes.</p>}
          <Wires wires={block.value.wires} id={id} to={to} />
        </>
      )}
      <p class="hint"><a href={none}>hide it</a></p>
    </div>
  );
}

// Contents of the shown part, and the wires that leave it or connect its parts.
function Parts({ shown, machine, part, to }: { shown: Part | null; machine: MachineOverview; part: MachinePart | null; to: (changed: Record<string, string | undefined>) => string }) {
  if (part) {
    const nodes = part.nodes.filter(([id]) => shown && isIn(id, shown.id));
    return (
      <>
        <h2>{plural(nodes.length, 'block')}</h2>
        <ul class="plain">{nodes.slice(0, MOST_LISTED).map(([id, kind]) => <li><a href={to({ mark: id })}>{nodeOf(id)?.label ?? id}</a> <span class="dim">{kind}</span></li>)}</ul>
      </>
    );
  }
  const wires = machine.wires.filter(([from, to_]) => !shown || isIn(from, shown.id) || isIn(to_, shown.id));
  return (
    <>
      <h2>{plural(wires.length, 'wire')} between its parts</h2>
      <ul class="plain">{wires.slice(0, MOST_LISTED).map(([from, to_, kind, gbs]) => <li><a href={to({ mark: `${from} → ${to_}` })}>{from} → {to_}</a> <span class="dim">{kind.replace(/_/g, ' ')}, {gbsText(gbs)}</span></li>)}</ul>
      {wires.length > MOST_LISTED && <p class="hint">{count(wires.length - MOST_LISTED)} more: look into a part.</p>}
    </>
  );
}
