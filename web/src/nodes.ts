// The nodes of the machine, and the parts that they belong to. Names are looked up here and never parsed.

export interface Part { id: string; label: string; level: 'sip' | 'io' | 'cube' | 'pe'; index: number; above: Part | null; below: Part[]; order: number }
export interface Node { id: string; label: string; kind: string; part: Part | null }  // outside of SIPs without a part

// Format of the server: -1 means none; `list` has the nodes whose ids are made of the part and their label.
export interface Directory {
  parts: [id: string, label: string, level: Part['level'], index: number, above: number, list: number][];
  lists: [label: string, kind: string][][];
  others: [id: string, label: string, kind: string, part: number][];
}

const parts = new Map<string, Part>(), nodes = new Map<string, Node>();

export function readNodes(directory: Directory): void {
  parts.clear();
  nodes.clear();
  const list: Part[] = [];
  const add = (node: Node) => nodes.set(node.id, node);
  for (const [id, label, level, index, above, own] of directory.parts) {
    const part: Part = { id, label, level, index, above: list[above] ?? null, below: [], order: list.length };
    part.above?.below.push(part);
    list.push(part);
    parts.set(id, part);
    for (const [name, kind] of directory.lists[own]) add({ id: `${id}.${name}`, label: name, kind, part });
  }
  for (const [id, label, kind, part] of directory.others) add({ id, label, kind, part: list[part] ?? null });
}

export const nodeOf = (name: string): Node | null => nodes.get(name) ?? null;
// The part with this name, or the part of the node with this name; for an HBM slice its PE.
export const partOf = (name: string): Part | null => parts.get(name) ?? nodes.get(name)?.part ?? null;
export const cellOf = (name: string): string => partOf(name)?.id ?? name;
// The cube or IO chiplet that contains it.
export const chipOf = (name: string): string => pathOf(name)[1]?.id ?? cellOf(name);
// The parts that contain it, the SIP first.
export function pathOf(name: string): Part[] {
  const path: Part[] = [];
  for (let part = partOf(name); part; part = part.above) path.unshift(part);
  return path;
}
export const isIn = (name: string, part: string): boolean => pathOf(name).some(({ id }) => id === part);
export const sipParts = (): Part[] => [...parts.values()].filter(({ level }) => level === 'sip');
export const nodesOutside = (kind: string): Node[] => [...nodes.values()].filter((node) => !node.part && node.kind === kind);
// The block with this resource, and the resource in it: "sip0.cube0.hbm_ctrl.pe0.pc0" is pc0 of the slice. Without a block "".
export function resourceOf(name: string): [block: string, resource: string] {
  let block = '';
  for (const id of nodes.keys()) if (id.length > block.length && name.startsWith(`${id}.`)) block = id;
  return [block, block ? name.slice(block.length + 1) : name];
}
// In the order of the machine.
export const inOrder = (a: string, b: string): number => (partOf(a)?.order ?? 0) - (partOf(b)?.order ?? 0);
