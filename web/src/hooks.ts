// Hooks shared by all pages.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isReport } from './answers';

export interface Answer<T> { value: T | null; key: string; failure: string }

// The answer to the latest request; until it arrives, the previous answer stays. An empty key makes no request. When
// requests are faster than answers (while a window is dragged), only the latest one is kept waiting.
export function useAnswer<T>(key: string, ask: (signal: AbortSignal) => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({ value: null, key: '', failure: '' });
  const wish = useRef<{ key: string; ask: (signal: AbortSignal) => Promise<T> } | null>(null);
  const busy = useRef(false), ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);
  useEffect(() => {
    if (!key) return;
    wish.current = { key, ask };
    if (busy.current) return;
    const work = async () => {
      busy.current = true;
      while (wish.current && !ended.current.signal.aborted) {
        const now = wish.current;
        wish.current = null;
        try {
          const value = await now.ask(ended.current.signal);
          setAnswer({ value, key: now.key, failure: '' });
        } catch (error) {
          const failure = error instanceof Error ? error.message : String(error);
          // Only a server can be asked again; a report does not change.
          if (!ended.current.signal.aborted) setAnswer((before) => (isReport ? { value: null, key: now.key, failure } : { ...before, failure }));
        }
      }
      busy.current = false;
    };
    work();
  }, [key]);
  return answer;
}

// The current size of an element in CSS pixels; 0 before it is rendered.
export function useSize(element: { current: HTMLElement | null }): { width: number; height: number } {
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const measure = () => setSize({ width: element.current?.clientWidth ?? 0, height: element.current?.clientHeight ?? 0 });
    const observer = new ResizeObserver(measure);
    observer.observe(element.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  return size;
}
