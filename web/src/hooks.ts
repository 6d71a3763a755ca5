// What pages have in common.
import { useEffect, useState } from 'preact/hooks';

export interface Answer<T> { value: T | null; key: string; failure: string }

// The answer to the newest wish; while it is on its way, the one before stays. An empty key asks for nothing.
export function useAnswer<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ value: null, key: '', failure: '' });
  useEffect(() => {
    if (!key) return undefined;
    const ended = new AbortController();
    ask(ended.signal).then((value) => setAnswer({ value, key, failure: '' })).catch((error) => {
      if (!ended.signal.aborted) setAnswer((before) => ({ ...before, failure: error instanceof Error ? error.message : String(error) }));
    });
    return () => ended.abort();
  }, [key]);
  return answer;
}
