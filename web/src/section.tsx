import type { ComponentChildren } from 'preact';

export function Section(props: { title: string; hint?: string; children: ComponentChildren }) {
  return (
    <section>
      <h2>{props.title}</h2>
      {props.hint && <p class="hint">{props.hint}</p>}
      {props.children}
    </section>
  );
}

// Functions that a report lacks, because it has no server.
export function OnlyServed({ what }: { what: string }) {
  return <span class="dim only-served">{what} <code>kernbench web DIR</code>.</span>;
}

export function Swatch({ colour }: { colour: string }) {
  return <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" fill={colour} /></svg>;
}
