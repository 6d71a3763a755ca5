// Colours of operations on all pages; distinguishable for colour-blind users and on both backgrounds.
const BY_NAME: [RegExp, string][] = [
  [/composite/i, '#c2a63a'],
  [/gemm/i, '#d9822b'],
  [/dma_?read/i, '#2f7fc1'],
  [/dma_?write/i, '#35a7a0'],
  [/fetch/i, '#8c93a8'],
  [/store/i, '#b3a894'],
  [/host/i, '#7f6a5c'],
  [/ipcq|send|recv|message/i, '#c2559b'],
];
const OTHERS = ['#7a5cc0', '#5b9a3d', '#b5493b', '#4f6d9e', '#9a8a2a'];

export function operationColour(name: string, kind: string): string {
  const known = BY_NAME.find(([pattern]) => pattern.test(name));
  if (known) return known[1];
  if (kind === 'math') return OTHERS[0];
  let hash = 0;
  for (const c of name) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
  return OTHERS[hash % OTHERS.length];
}

export function rgb(colour: string): [number, number, number] {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// Parts of a launch in drawing order, with their meanings.
export const PARTS: { name: string; label: string; colour: string; meaning: string }[] = [
  { name: 'delivery', label: 'delivery', colour: '#9aa3b2', meaning: 'The launch travels from the host to the PE.' },
  { name: 'barrier', label: 'barrier', colour: '#c3c9d4', meaning: 'The PE waits for the common start.' },
  { name: 'gemm', label: 'GEMM', colour: '#d9822b', meaning: 'PE_GEMM computes.' },
  { name: 'math', label: 'MATH', colour: '#e8b878', meaning: 'PE_MATH computes, PE_GEMM does not.' },
  { name: 'queue_full', label: 'queue full', colour: '#b5493b', meaning: 'Nothing computes: a result finds no room in the next block (queue_depth).' },
  { name: 'tlb', label: 'translation', colour: '#9a8a2a', meaning: 'Nothing computes: an access waits for its translation.' },
  { name: 'channel_busy', label: 'DMA channel busy', colour: '#1f5f9a', meaning: 'Nothing computes: transfers wait for a DMA channel.' },
  { name: 'tcm', label: 'TCM', colour: '#35a7a0', meaning: 'Nothing computes: FETCH or STORE moves data of the scratchpad.' },
  { name: 'dma', label: 'exposed DMA', colour: '#5aa3dc', meaning: 'Nothing computes: a transfer is under way and none waits.' },
  { name: 'scalar', label: 'scalar', colour: '#7a5cc0', meaning: 'The CPU of the PE works.' },
  { name: 'dependency', label: 'other PEs', colour: '#c2559b', meaning: 'The kernel waits for other PEs: a message, a free slot, a credit.' },
  { name: 'completion', label: 'completion', colour: '#6b7385', meaning: 'From the end of the kernel to the completion at the host.' },
];
