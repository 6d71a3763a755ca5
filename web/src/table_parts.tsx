// Common parts of tables.
import type { ComponentChildren } from 'preact';

export const PAGE = 100;

export type Values = Record<string, string | number | undefined>;

export function Head(props: { label: string; name: string; sort: string; descending: boolean; to: (values: Values) => string; number?: boolean }) {
  const active = props.sort === props.name;
  const order = active && props.descending ? 'asc' : 'desc';
  return (
    <th scope="col" class={props.number ? 'number' : undefined} aria-sort={active ? (props.descending ? 'descending' : 'ascending') : undefined}>
      <a href={props.to({ sort: props.name, order, offset: undefined })}>{props.label}{active ? (props.descending ? ' ▾' : ' ▴') : ''}</a>
    </th>
  );
}

// A table that scrolls on narrow screens. A column of numbers has a '#' before its name.
export function DataTable({ columns, children }: { columns: string[]; children: ComponentChildren }) {
  return (
    <div class="scrollx"><table class="data">
      <thead><tr>{columns.map((name) => <th scope="col" class={name[0] === '#' ? 'number' : undefined}>{name.replace('#', '')}</th>)}</tr></thead>
      <tbody>{children}</tbody>
    </table></div>
  );
}
