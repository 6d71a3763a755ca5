// What parts of launches and kinds of resources are called, as the program says it; filled before a page is drawn.
export interface Word { name: string; label: string; meaning: string; phrase: string; colour: string }
export interface Words { parts: Word[]; resources: Word[]; series: Word[] }

// Parts of a launch in drawing order, with their meanings.
export const PARTS: Word[] = [];
// The parts in which the kernel runs.
export const STATES: Word[] = [];
const resources = new Map<string, Word>(), series = new Map<string, Word>();

export function readWords(words: Words): void {
  const all = (list: Word[], known: Map<string, Word>) => list.forEach((word) => known.set(word.name, word));
  PARTS.splice(0, PARTS.length, ...words.parts);
  STATES.splice(0, STATES.length, ...words.parts.filter(({ name }) => !['delivery', 'barrier', 'completion'].includes(name)));
  all(words.resources, resources);
  all(words.series, series);
}

export const resourceLabel = (name: string): string => resources.get(name)?.label ?? name.replace(/_/g, ' ');
export const seriesLabel = (kind: string): string => series.get(kind)?.label ?? kind.replace(/_/g, ' ');
