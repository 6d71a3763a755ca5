// What the program calls parts of launches, resources and levels of the memory; filled before a page is drawn.
export interface Word { name: string; label: string; meaning: string; phrase: string; colour: string }
// An engine computes, or something else in the kernel; 'launch': before or after the kernel.
export interface Part extends Word { role: 'engine' | 'kernel' | 'launch' }
export interface Words { parts: Part[]; resources: Word[]; kinds: Word[]; levels: Word[]; energy: Word[] }

export const PARTS: Part[] = [];       // of a launch, in drawing order
export const STATES: Part[] = [];      // those in which the kernel runs
export const ENGINES: Part[] = [];     // those in which an engine computes
export const RESOURCES: Word[] = [];   // of a PE
export const KINDS: Word[] = [];       // of resources; those with a colour are drawn over time
export const LEVELS: Word[] = [];      // of the memory
export const ENERGY: Word[] = [];      // parts of the machine that cost energy

export function readWords({ parts, resources, kinds, levels, energy }: Words): void {
  const fill = <T extends Word>(list: T[], words: T[]) => list.splice(0, list.length, ...words);
  fill(PARTS, parts);
  fill(STATES, parts.filter(({ role }) => role !== 'launch'));
  fill(ENGINES, parts.filter(({ role }) => role === 'engine'));
  fill(RESOURCES, resources);
  fill(KINDS, kinds);
  fill(LEVELS, levels);
  fill(ENERGY, energy);
}

// "dma_read" -> "dma read", where no word is known.
export const plain = (name: string): string => name.replace(/_ns$/, '').replace(/_/g, ' ');
const wordOf = (words: Word[], name: string): Word | undefined => words.find((word) => word.name === name);
export const labelOf = (words: Word[], name: string): string => wordOf(words, name)?.label ?? plain(name);
export const colourOf = (words: Word[], name: string): string | undefined => wordOf(words, name)?.colour || undefined;
