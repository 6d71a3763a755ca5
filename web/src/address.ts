// The state of the page is its address: "#/timeline?t0=1&t1=2". Where the server has many runs, the address begins with the
// one that is shown, and the one that it is compared with: "#/@gemm%2F3/@base/compare".
import { useEffect, useState } from 'preact/hooks';

export interface ChosenRun { name: string; against: string }
export interface Address { run: ChosenRun | null; page: string; values: URLSearchParams }

// The values of the address, and the text from which they were read.
let newest: { text: string; values: URLSearchParams; run: ChosenRun | null } | null = null;

// A name that cannot be decoded names no run.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function read(): Address {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const values = new URLSearchParams(query ?? ''), parts = path.split('/');
  const names = parts.filter((part) => part.startsWith('@')).map((part) => decoded(part.slice(1)));
  const run = names.length > 0 ? { name: names[0], against: names[1] ?? '' } : null;
  newest = { text: location.hash, values, run };
  return { run, page: parts.find((part) => part && !part.startsWith('@')) ?? '', values };
}

const prefix = (run: ChosenRun | null): string => (run ? [run.name, run.against].filter(Boolean).map((name) => `@${encodeURIComponent(name)}/`).join('') : '');

// A request to the server about the shown run.
export function aboutRun(path: string): string {
  const run = newest?.run;
  if (!run) return path;
  const names = new URLSearchParams({ in: run.name, ...(run.against ? { with: run.against } : {}) });
  return `${path}${path.includes('?') ? '&' : '?'}${names}`;
}

type Values = Record<string, string | number | bigint | undefined>;

// Address of a page of the shown run.
export const href = (page: string, values: Values = {}): string => hrefOf(newest?.run ?? null, page, values);

// A page of a run, or without one of the server.
export function hrefOf(run: ChosenRun | null, page: string, values: Values = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return `#/${prefix(run)}${page}${text ? '?' + text : ''}`;
}

// Changes the address without an entry in the history, for values that change continuously. Does nothing when the user
// has navigated away since `shown`, the values that the caller shows.
export function replaceAddress(shown: URLSearchParams, page: string, values: Values): void {
  if (!newest || newest.values !== shown || newest.text !== location.hash) return;
  history.replaceState(null, '', location.pathname + href(page, values));
  newest.text = location.hash;
}

export function useAddress(): Address {
  const [address, set] = useState(read);
  useEffect(() => {
    const changed = () => set(read());
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return address;
}

// Removes the token from the visible address, so that it is not copied.
export function forgetToken(): void {
  if (location.search) history.replaceState(null, '', location.pathname + location.hash);
}
