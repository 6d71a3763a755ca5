// Figures of the shape under the pointer, placed inside the screen.
import type { ComponentChildren } from 'preact';

const EDGE = 8;

export function Tooltip({ x, y, children }: { x: number; y: number; children: ComponentChildren }) {
  const place = (element: HTMLElement | null) => {
    if (!element) return;
    const { offsetWidth: width, offsetHeight: height } = element;
    element.style.left = `${Math.max(EDGE, Math.min(x + 14, innerWidth - width - EDGE))}px`;
    element.style.top = `${Math.max(EDGE, y + 18 + height > innerHeight ? y - height - 10 : y + 18)}px`;
  };
  return <div class="tooltip" ref={place} role="status">{children}</div>;
}
