import type { OperationName } from './api';
import { colourOf, ENGINES } from './words';

// Colours of operations on all pages: that of the engine, or one of these. They can be told apart by colour-blind users and on
// both backgrounds.
const BY_NAME: [RegExp, string][] = [
  [/composite/i, '#c2a63a'],
  [/dma_?read/i, '#2f7fc1'],
  [/dma_?write/i, '#35a7a0'],
  [/fetch/i, '#8c93a8'],
  [/store/i, '#b3a894'],
  [/host/i, '#7f6a5c'],
  [/ipcq|send|recv|message/i, '#c2559b'],
];
const OTHERS = ['#7a5cc0', '#5b9a3d', '#b5493b', '#4f6d9e', '#9a8a2a'];

export function operationColour({ name, engine }: OperationName): string {
  const known = colourOf(ENGINES, engine) ?? BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  if (known) return known;
  let hash = 0;
  for (const c of name) hash = (hash * 31 + c.charCodeAt(0)) >>> 0;
  return OTHERS[hash % OTHERS.length];
}

export function rgb(colour: string): [number, number, number] {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
