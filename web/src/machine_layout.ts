// Positions and texts of the parts of a machine.
import type { Cell, GroupWire, MachineOverview, MachinePart, Resource } from './api';
import { cellOf, chipOf, nodeOf, nodesOutside, partOf, sipParts, type Part } from './nodes';
import { kindLabel } from './resources';

// 'difference' is the difference of the shares of two runs; 'rate' is bytes on another scale.
export type Measure = 'busy' | 'bytes' | 'rate' | 'wait' | 'queue' | 'difference';
export interface Figures { share: number; bytes: number; waitNs: number; gbs: number; queue: number }

export interface Shape {
  id: string;
  lines: string[];          // in addition to the figures
  figures: Figures | null;  // null: no figures
  label?: string;
  go?: string;              // part of the machine that a click shows; otherwise a click shows the timeline
  frame?: boolean;          // drawn as an outline behind the others
  rect?: [x: number, y: number, w: number, h: number];
  line?: [x0: number, y0: number, x1: number, y1: number];
}
export interface Picture { width: number; height: number; shapes: Shape[] }

export const valueOf = (f: Figures, measure: Measure): number => ({ busy: f.share, difference: f.share, bytes: f.bytes, rate: f.bytes, wait: f.waitNs, queue: f.queue }[measure]);

const CELL = 100, GAP = 34, EDGE = 26;

interface Place { x: number; y: number }

const isCube = ({ level }: Part): boolean => level === 'cube';
const iosOf = (sip: Part): Part[] => sip.below.filter((chip) => !isCube(chip));

// Position and size of a cube or IO chiplet in its SIP: cubes are on the mesh, row by row, below the chiplets.
function boxIn(chip: Part, machine: MachineOverview, ios: number, sipW: number): [number, number, number, number] {
  const [w] = machine.mesh, top = ios > 0 ? CELL * 0.5 + GAP : 0;
  if (isCube(chip)) return [(chip.index % w) * (CELL + GAP), top + Math.floor(chip.index / w) * (CELL + GAP), CELL, CELL];
  const wide = (sipW - (ios - 1) * GAP) / ios;
  return [iosOf(chip.above!).indexOf(chip) * (wide + GAP), 0, wide, CELL * 0.5];
}

// A PE in the drawing of its cube, as large as its neighbours allow.
function peSize({ pes, cube_mm }: MachineOverview): number {
  let least = 0.2;
  pes.forEach(([, x, y], i) => pes.slice(i + 1).forEach(([, u, v]) => {
    least = Math.min(least, Math.max(Math.abs(x - u) / (cube_mm[0] || 1), Math.abs(y - v) / (cube_mm[1] || 1)) * 0.94 || least);
  }));
  return Math.max(0.04, least) * CELL;
}

// The cell of the selected kind, or the busiest of all kinds.
function figuresOf(cells: Cell[] | undefined, kind: string, measure: Measure): { figures: Figures | null; lines: string[] } {
  if (!cells) return { figures: null, lines: [] };
  const wanted = cells.filter((cell) => !kind || cell.kind === kind);
  if (wanted.length === 0) return { figures: null, lines: [] };
  const all = wanted.map((cell): [Cell, Figures] => [cell, { share: cell.most, bytes: cell.bytes, waitNs: cell.waitNs, gbs: 0, queue: cell.queue }]);
  const best = all.reduce((a, b) => (valueOf(b[1], measure) > valueOf(a[1], measure) ? b : a));
  return { figures: best[1], lines: all.map(([cell]) => `${kindLabel(cell.kind)}s, mean\t${cell.mean}`) };
}

// Number of SIPs per row: as large as the screen allows, preferably with full rows.
function columnsOf(sips: number, width: number, height: number): number {
  const SCREEN = innerWidth < innerHeight ? 1 : 1.5, FULL = 1.3;
  const worth = (across: number) => (sips % across === 0 ? FULL : 1) / Math.max((across * width) / SCREEN, Math.ceil(sips / across) * height);
  let best = 1;
  for (let across = 2; across <= sips; ++across) if (worth(across) > worth(best)) best = across;
  return best;
}

// The whole machine or one SIP: cubes with their PEs, and the wires between them.
export function overviewPicture(machine: MachineOverview, at: string, cells: Cell[], wires: GroupWire[], kind: string, measure: Measure): Picture {
  const sips = sipParts().filter(({ id }) => !at || id === at);
  const ios = Math.max(0, ...sips.map((sip) => iosOf(sip).length));
  const [mw, mh] = machine.mesh;
  const size = peSize(machine);
  const sipW = Math.max(mw, ios) * (CELL + GAP) - GAP, sipH = mh * (CELL + GAP) - GAP + (ios > 0 ? CELL * 0.5 + GAP : 0);
  const across = columnsOf(sips.length, sipW + 3 * EDGE, sipH + 4 * EDGE);
  const switches = at ? [] : nodesOutside('switch');
  const top = EDGE + (switches.length > 0 ? 60 : 0);
  const origin = new Map(sips.map((sip, i) => [sip, { x: EDGE + (i % across) * (sipW + 3 * EDGE), y: top + EDGE + Math.floor(i / across) * (sipH + 4 * EDGE) }]));
  const byCell = new Map<string, Cell[]>();
  for (const cell of cells) byCell.set(cell.id, [...(byCell.get(cell.id) ?? []), cell]);
  const width = EDGE * 2 + Math.min(across, sips.length) * (sipW + 3 * EDGE) - 3 * EDGE;
  const shapes: Shape[] = [], centre = new Map<string, Place>(), half = new Map<string, Place>();
  for (const sip of sips) {
    const { x, y } = origin.get(sip)!;
    shapes.push({ id: sip.id, lines: [], figures: null, label: sip.label, go: sip.id, frame: true, rect: [x - EDGE * 0.7, y - EDGE, sipW + EDGE * 1.4, sipH + EDGE * 1.7] });
  }
  switches.forEach(({ id }, i) => {
    const w = width / switches.length - 2 * EDGE;
    const rect: Shape['rect'] = [EDGE + i * (w + 2 * EDGE), EDGE * 0.5, w, 30];
    centre.set(id, { x: rect[0] + w / 2, y: rect[1] + 15 });
    half.set(id, { x: w / 2, y: 15 });
    shapes.push({ id, lines: [], figures: null, label: id, rect });
  });
  for (const chip of sips.flatMap((sip) => sip.below)) {
    const base = origin.get(chip.above!)!, [left, above, w, h] = boxIn(chip, machine, ios, sipW), { id: group } = chip;
    const x = base.x + left, y = base.y + above;
    centre.set(group, { x: x + w / 2, y: y + h / 2 });
    half.set(group, { x: w / 2, y: h / 2 });
    shapes.push({ id: group, ...figuresOf(byCell.get(group), kind, measure), label: chip.label, go: group, rect: [x, y, w, h] });
    for (const { id, index } of chip.below) {
      const [, px, py] = machine.pes.find(([one]) => one === index) ?? [index, 0, 0];
      const cx = x + (px / (machine.cube_mm[0] || 1)) * CELL, cy = y + (py / (machine.cube_mm[1] || 1)) * CELL;
      shapes.push({ id, ...figuresOf(byCell.get(id), kind, measure), go: group, rect: [Math.max(x + 2, cx - size / 2), Math.max(y + 2, cy - size / 2), size, size] });
    }
  }
  shapes.push(...groupWires(machine, wires, centre, half, kind));
  const rows = Math.ceil(sips.length / across);
  return { width, height: top + rows * (sipH + 4 * EDGE) - EDGE, shapes };
}

// Lines between two boxes, one beside the other for the two directions.
function groupWires(machine: MachineOverview, wires: GroupWire[], centre: Map<string, Place>, half: Map<string, Place>, kind: string): Shape[] {
  const used = new Map(wires.map((wire) => [`${wire.from} ${wire.to}`, wire]));
  const shapes: Shape[] = [];
  for (const [from, to, , gbs] of machine.wires) {
    const ends = [from, to].map((node) => (centre.has(node) ? node : chipOf(node)));
    const a = centre.get(ends[0]), b = centre.get(ends[1]);
    if (!a || !b) continue;
    const wire = used.get(`${from} ${to}`);
    const figures = wire && (!kind || kind === 'wire') ? { share: wire.share, bytes: wire.bytes, waitNs: wire.waitNs, gbs, queue: wire.queue } : null;
    shapes.push({ id: `${from} → ${to}`, lines: [], figures, line: between(a, half.get(ends[0])!, b, half.get(ends[1])!, 7) });
  }
  return shapes;
}

// A line between the edges of two boxes, shifted to the right of its direction.
function between(a: Place, sizeA: Place, b: Place, sizeB: Place, aside: number): [number, number, number, number] {
  const flat = Math.abs(b.x - a.x) - sizeA.x - sizeB.x > Math.abs(b.y - a.y) - sizeA.y - sizeB.y;
  if (flat) {
    const sign = Math.sign(b.x - a.x);
    return [a.x + sign * sizeA.x, a.y + sign * aside, b.x - sign * sizeB.x, b.y + sign * aside];
  }
  const sign = Math.sign(b.y - a.y) || 1;
  const narrow = sizeA.x < sizeB.x ? a.x : b.x;
  return [narrow - sign * aside, a.y + sign * sizeA.y, narrow - sign * aside, b.y - sign * sizeB.y];
}

const kindOf = (id: string): string => nodeOf(id)?.kind ?? '';
const labelOf = (id: string): string => nodeOf(id)?.label ?? id;

const MM = 46;  // pixels of the picture per mm of a cube
const IO_COLUMNS: Record<string, number> = { pcie_ep: 0, io_cpu: 0, io_noc: 1, ucie_conn: 2, ucie: 3 };
const ROUTER = 26, BLOCK_W = 62, BLOCK_H = 24;

const figuresOfRow = (row: Resource): Figures => ({ share: row.share, bytes: row.bytes, waitNs: row.waitNs, gbs: row.gbs, queue: row.queue });

function strongest(rows: Resource[], measure: Measure): Figures | null {
  return rows.map(figuresOfRow).reduce<Figures | null>((best, now) => (best && valueOf(best, measure) >= valueOf(now, measure) ? best : now), null);
}

// One cube or IO chiplet: routers to scale, with the connected blocks below them.
export function cubePicture(part: MachinePart, size: [number, number], channels: number, rows: Resource[], kind: string, measure: Measure): Picture {
  const width = Math.max(size[0], 4) * MM, height = Math.max(size[1], 4) * MM;
  const wanted = rows.filter((row) => !kind || row.kind === kind);
  const rowsOf = (name: string) => wanted.filter(({ component }) => component === name || (cellOf(component) === name && kindOf(component) !== 'hbm_ctrl'));
  const wireOf = new Map(wanted.filter((row) => row.kind === 'wire').map((row) => [`${row.component} ${row.peer}`, row]));
  const shapes: Shape[] = [], places = new Map<string, Place>();
  const stacked = new Map<string, number>();
  // A PE is drawn at the router of its DMA engine.
  const at0 = new Map(part.nodes.filter(([, , x]) => x !== null).map(([id, , x, y]) => [id, { x: x! * MM, y: y! * MM }]));
  const home = new Map(part.wires.filter(([from, to]) => kindOf(from) === 'pe_dma' && at0.has(to) && cellOf(to) !== cellOf(from)).map(([from, to]) => [cellOf(from), at0.get(to)!]));
  // A UCIe port and its connections are at an edge of the cube.
  const portOf = new Map(part.wires.filter(([, , wire]) => wire === 'ucie_internal').flatMap(([a, b]) => (kindOf(b) === 'ucie' ? [[a, b]] : [])) as [string, string][]);
  const side = (id: string): string => {
    const port = at0.get(portOf.get(id) ?? (kindOf(id) === 'ucie' ? id : ''));
    return !port ? '' : port.y <= 0 ? 'N' : port.x <= 0 ? 'W' : port.y >= size[1] * MM ? 'S' : 'E';
  };
  const loose = new Map<number, number>();
  for (const [id, kindOfNode, x, y] of part.nodes) {
    const place = { x: (x ?? 0) * MM, y: (y ?? 0) * MM };
    if (x === null || y === null) {
      const column = IO_COLUMNS[kindOfNode] ?? 0, line = loose.get(column) ?? 0;
      loose.set(column, line + 1);
      Object.assign(place, { x: MM * (1.5 + column * 3.2), y: MM * (1 + line * (column === 3 ? 3.2 : column === 1 ? 1 : 0.8)) });
    }
    const in_pe = home.get(cellOf(id));
    if (in_pe && kindOfNode !== 'hbm_ctrl') Object.assign(place, in_pe);
    const at = side(id);
    if (at === 'N') place.y = 0;
    if (at === 'S') place.y = height;
    if (at === 'W') place.x = 0;
    if (at === 'E') place.x = width;
    places.set(id, place);
    if (kindOfNode === 'noc_router' || x === null) {
      shapes.push({ id, lines: [kindOfNode], figures: null, label: labelOf(id), rect: [place.x - ROUTER / 2 - (x === null ? 34 : 0), place.y - ROUTER / 2, ROUTER + (x === null ? 68 : 0), ROUTER] });
    } else if (kindOfNode === 'ucie') {
      const flat = at === 'N' || at === 'S';
      shapes.push({ id, lines: [kindOfNode], figures: null, label: labelOf(id), rect: [place.x - (flat ? 60 : 34), place.y - 11 + (at === 'N' ? -16 : at === 'S' ? 16 : 0), flat ? 120 : 68, 22] });
    } else if (kindOfNode === 'pe_cpu' || kindOfNode === 'hbm_ctrl' || kindOfNode === 'm_cpu' || kindOfNode === 'sram') {
      const key = `${place.x} ${place.y}`, line = stacked.get(key) ?? 0;
      stacked.set(key, line + 1);
      // Blocks of a router are drawn in pairs below it.
      const left = place.x - BLOCK_W - 2 + (line % 2) * (BLOCK_W + 4), topEdge = place.y + ROUTER / 2 + 6 + Math.floor(line / 2) * (BLOCK_H + 4);
      if (kindOfNode === 'pe_cpu') {
        const pe = cellOf(id), inside = rowsOf(pe).filter((row) => row.kind !== 'wire');
        shapes.push({ id: pe, lines: inside.map((row) => `${labelOf(row.component)} ${row.name}\t${row.share}`), figures: strongest(inside, measure), label: partOf(pe)?.label, go: pe, rect: [left, topEdge, BLOCK_W, BLOCK_H] });
      } else if (kindOfNode === 'hbm_ctrl') {
        shapes.push(...slice(id, `hbm ${partOf(id)?.label ?? ''}`, channels, wanted, [left, topEdge, BLOCK_W, BLOCK_H]));
      } else {
        shapes.push({ id, lines: [kindOfNode], figures: strongest(rowsOf(id).filter((row) => row.kind !== 'wire'), measure), label: labelOf(id), rect: [left, topEdge, BLOCK_W, BLOCK_H] });
      }
    }
  }
  return { width, height, shapes: [...cubeWires(part, places, wireOf), ...shapes] };
}

function cubeWires(part: MachinePart, places: Map<string, Place>, wireOf: Map<string, Resource>): Shape[] {
  const shapes: Shape[] = [];
  for (const [from, to, , gbs] of part.wires) {
    const row = wireOf.get(`${from} ${to}`);
    const figures = row ? { ...figuresOfRow(row), gbs } : null;
    const a = places.get(from), b = places.get(to);
    if (!a || !b || gbs === 0) continue;
    const length = Math.hypot(b.x - a.x, b.y - a.y);
    const id = `${from} → ${to}`;
    if (length > 1) {
      const nx = -((b.y - a.y) / length) * 5, ny = ((b.x - a.x) / length) * 5;
      shapes.push({ id, lines: [], figures, line: [a.x + nx, a.y + ny, b.x + nx, b.y + ny] });
    } else {
      // A block at its router has a short wire beside it: down for input, up for output.
      const block = kindOf(from) === 'noc_router' && kindOf(to) !== 'noc_router' ? to : from;
      const index = kindOf(block) === 'hbm_ctrl' ? 1 : 0, down = block === to;
      const x = a.x + (index === 0 ? -1 : 1) * (ROUTER / 2 + 6) + (down ? -3 : 3);
      const ends: [number, number] = [a.y - 6, a.y + ROUTER / 2 + 5];
      shapes.push({ id, lines: [], figures, line: down ? [x, ends[0], x, ends[1]] : [x, ends[1], x, ends[0]] });
    }
  }
  return shapes;
}

// The channels of an HBM slice; unused ones are idle. A controller of a plug-in has the resources that it declares.
function slice(id: string, label: string, channels: number, rows: Resource[], [x, y, w, h]: [number, number, number, number]): Shape[] {
  const own = new Map(rows.filter((row) => row.component === id && row.kind === 'memory').map((row) => [row.name, row]));
  const builtIn = Array.from({ length: Math.max(1, channels) }, (_, i) => `pc${i}`);
  const names = [...own.keys()].every((name) => builtIn.includes(name)) ? builtIn : [...own.keys()];
  const shapes: Shape[] = [{ id, lines: [], figures: null, label, rect: [x, y, w, h], frame: true }];
  names.forEach((name, i) => {
    const row = own.get(name);
    shapes.push({ id: `${id} ${name}`, lines: [label], figures: row ? figuresOfRow(row) : null, rect: [x + (i * w) / names.length, y, w / names.length - 1, h] });
  });
  return shapes;
}

// One PE, from its memory to its engines.
export function pePicture(part: MachinePart, at: string, { channels_per_slice: channels, engines }: MachineOverview, rows: Resource[]): Picture {
  const block = (kind: string) => part.nodes.find(([id, one]) => one === kind && cellOf(id) === at)?.[0] ?? '';
  const width = 900, height = Math.max(330, 130 + engines.length * 70);
  const find = (component: string, name: string) => rows.find((row) => row.component === component && row.name === name);
  const figures = (component: string, name: string) => { const row = find(component, name); return row ? figuresOfRow(row) : null; };
  const [memory, dma, tcm, cpu] = ['hbm_ctrl', 'pe_dma', 'pe_fetch_store', 'pe_cpu'].map(block);
  const router = part.wires.find(([from, to, , gbs]) => gbs > 0 && from === dma && kindOf(to) === 'noc_router')?.[1] ?? '';
  const shapes: Shape[] = [
    ...slice(memory, 'HBM slice', channels, rows, [20, 110, 190, 90]),
    { id: router, lines: ['router'], figures: null, label: labelOf(router), rect: [290, 125, 70, 60] },
    { id: `${dma} read`, lines: [], figures: figures(dma, 'read'), label: 'DMA read', rect: [450, 90, 120, 60] },
    { id: `${dma} write`, lines: [], figures: figures(dma, 'write'), label: 'DMA write', rect: [450, 160, 120, 60] },
    { id: `${tcm} fetch`, lines: [], figures: figures(tcm, 'fetch'), label: 'TCM fetch', rect: [610, 90, 110, 60] },
    { id: `${tcm} store`, lines: [], figures: figures(tcm, 'store'), label: 'TCM store', rect: [610, 160, 110, 60] },
    ...engines.map(({ name, node, label, sentence }, i): Shape => ({ id: block(node), lines: [sentence], figures: figures(cpu, name), label, rect: [760, 90 + i * 70, 110, 60] })),
  ];
  const wire = (from: string, to: string, line: [number, number, number, number]) => {
    const row = rows.find((r) => r.component === from && r.peer === to);
    const gbs = part.wires.find(([a, b]) => a === from && b === to)?.[3] ?? row?.gbs ?? 0;
    shapes.push({ id: `${from} → ${to}`, lines: [], figures: row ? { ...figuresOfRow(row), gbs } : null, line });
  };
  wire(memory, router, [210, 145, 290, 145]);
  wire(router, memory, [290, 165, 210, 165]);
  wire(router, dma, [360, 130, 450, 130]);
  wire(dma, router, [450, 180, 360, 180]);
  return { width, height, shapes };
}
