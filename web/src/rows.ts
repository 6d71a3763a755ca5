// Selection of the visible rows of the tree.
import type { Row, Rows } from './api';

export interface Fold { depth: number; changed: Set<string> }  // open above `depth`, except for those that were changed

const MOST_AT_FIRST = 64;

export const isOpen = (row: Row, fold: Fold): boolean =>
  !row.component && (row.depth < fold.depth) !== fold.changed.has(row.name);

// A row is shown when all its ancestors are open. Parents precede their children.
export function shownRows({ rows }: Rows, fold: Fold): number[] {
  const open: boolean[] = [];
  const shown: number[] = [];
  rows.forEach((row, i) => {
    const visible = row.parent < 0 || open[row.parent];
    open[i] = visible && isOpen(row, fold);
    if (visible) shown.push(i);
  });
  return shown;
}

export function firstFold(all: Rows): Fold {
  let depth = 0;
  while (depth < 6 && shownRows(all, { depth: depth + 1, changed: new Set() }).length <= MOST_AT_FIRST) ++depth;
  return { depth, changed: new Set() };
}

export function toggled(row: Row, fold: Fold): Fold {
  const changed = new Set(fold.changed);
  if (!changed.delete(row.name)) changed.add(row.name);
  return { depth: fold.depth, changed };
}
