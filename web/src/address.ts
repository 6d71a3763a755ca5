// The state of the page is its address: "#/timeline?t0=1&t1=2".
import { useEffect, useState } from 'preact/hooks';

export interface Address { page: string; values: URLSearchParams }

// What the page shows or is about to show, and the text that it was read from.
let newest: { text: string; values: URLSearchParams } | null = null;

function read(): Address {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const values = new URLSearchParams(query ?? '');
  newest = { text: location.hash, values };
  return { page: path || 'overview', values };
}

export function href(page: string, values: Record<string, string | number | bigint | undefined> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return `#/${page}${text ? '?' + text : ''}`;
}

// Without an entry in the history: for what changes all the time. Does nothing when the user has gone elsewhere since
// `shown`, the values of the address that the caller shows.
export function replaceAddress(shown: URLSearchParams, page: string, values: Record<string, string | number | bigint | undefined>): void {
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

// The token is no part of what one might copy.
export function forgetToken(): void {
  if (location.search) history.replaceState(null, '', location.pathname + location.hash);
}
