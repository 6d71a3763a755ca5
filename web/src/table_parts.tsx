// Common parts of tables.
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
