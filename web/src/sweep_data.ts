// The table of a sweep: its columns, and the rows that pass a filter.
import { json } from './api';

export type Cell = number | string | null;
export type Role = 'point' | 'axis' | 'result' | 'status' | 'cause' | 'run' | 'file' | 'pareto';
export interface Column { name: string; role: Role; text: string; at: number; numbers: boolean; goal: '' | 'min' | 'max' }
export interface SweepRow { cells: Cell[]; point: number; status: string; run: string; front: boolean }
export interface Sweep {
  name: string; file: string; workload: string; topology: string; kernbench: string; state: string; failed: number; missing: number;
  columns: Column[]; rows: SweepRow[]; objectives: Column[];
}

interface Raw extends Omit<Sweep, 'columns' | 'rows' | 'objectives'> {
  columns: { name: string; role: Role; text: string }[];
  rows: Cell[][];
  objectives: { column: string; goal: string }[];
}

export async function fetchSweep(signal: AbortSignal): Promise<Sweep> {
  const raw = await json<Raw>('/api/sweep', signal);
  const at = (role: Role) => raw.columns.findIndex((column) => column.role === role);
  const place = { point: at('point'), status: at('status'), run: at('run'), pareto: at('pareto') };
  const rows = raw.rows.map((cells): SweepRow => ({
    cells, point: Number(cells[place.point] ?? 0), status: String(cells[place.status] ?? ''), run: String(cells[place.run] ?? ''), front: Number(cells[place.pareto] ?? 0) === 1,
  }));
  const columns = raw.columns.map((column, i): Column => {
    const goal = raw.objectives.find((one) => one.column === column.name)?.goal;
    const filled = rows.filter(({ cells }) => cells[i] !== null);
    return { ...column, at: i, goal: goal === 'min' || goal === 'max' ? goal : '', numbers: filled.length > 0 && filled.every(({ cells }) => typeof cells[i] === 'number') };
  });
  const objectives = raw.objectives.map((one) => columns.find(({ name }) => name === one.column)).filter((one): one is Column => one !== undefined);
  return { ...raw, columns, rows, objectives };
}

export interface PointAnswer { command: string; none: string; run: string }
export const fetchPoint = (point: number, signal: AbortSignal) => json<PointAnswer>(`/api/point?point=${point}`, signal);

export const numberText = (value: number): string => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6))));
export const cellText = (cell: Cell): string => (cell === null ? '' : typeof cell === 'number' ? numberText(cell) : cell);
export const isShown = ({ role }: Column): boolean => role !== 'run' && role !== 'file';

const TEST = /^([^=<>!]+)(<=|>=|!=|=|<|>)(.*)$/;

// "tile_k=32 time_ns<1e6 failed": conditions on columns, and words that some cell has. A condition on a column that there is
// not lets nothing through.
export function filterOf(text: string, columns: Column[]): (row: SweepRow) => boolean {
  const tests = text.split(/\s+/).filter(Boolean).map((word): ((row: SweepRow) => boolean) => {
    const parts = TEST.exec(word);
    if (!parts) return ({ cells }) => cells.some((cell) => cellText(cell).toLowerCase().includes(word.toLowerCase()));
    const [, name, sign, wanted] = parts, column = columns.find((one) => one.name === name), number = Number(wanted);
    return ({ cells }) => {
      const cell = column ? cells[column.at] : null;
      if (!column || cell === null) return sign === '!=' && !!column;
      const order = typeof cell === 'number' && wanted !== '' && !Number.isNaN(number) ? cell - number : cellText(cell) < wanted ? -1 : cellText(cell) > wanted ? 1 : 0;
      return { '=': order === 0, '!=': order !== 0, '<': order < 0, '>': order > 0, '<=': order <= 0, '>=': order >= 0 }[sign]!;
    };
  });
  return (row) => tests.every((test) => test(row));
}

// Empty cells are last in both orders.
export function sorted(rows: SweepRow[], column: Column, descending: boolean): SweepRow[] {
  const sign = descending ? -1 : 1;
  return [...rows].sort((a, b) => {
    const x = a.cells[column.at], y = b.cells[column.at];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || a.point - b.point;
    const order = typeof x === 'number' && typeof y === 'number' ? x - y : cellText(x) < cellText(y) ? -1 : cellText(x) > cellText(y) ? 1 : 0;
    return order * sign || a.point - b.point;
  });
}

// The values of a column, each once, in order.
export function valuesOf(rows: SweepRow[], column: Column): Cell[] {
  const values = [...new Set(rows.map(({ cells }) => cells[column.at]))].filter((value) => value !== null);
  return column.numbers ? (values as number[]).sort((a, b) => a - b) : values;
}
