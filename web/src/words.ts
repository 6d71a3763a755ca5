// What parts of launches are called, as the program says it; filled before a page is drawn.
export interface Word { name: string; label: string; meaning: string; phrase: string; colour: string }
export interface Words { parts: Word[]; resources: Word[]; series: Word[] }

// Parts of a launch in drawing order, with their meanings.
export const PARTS: Word[] = [];
// The parts in which the kernel runs.
export const STATES: Word[] = [];

export function readWords(words: Words): void {
  PARTS.splice(0, PARTS.length, ...words.parts);
  STATES.splice(0, STATES.length, ...words.parts.filter(({ name }) => !['delivery', 'barrier', 'completion'].includes(name)));
}
