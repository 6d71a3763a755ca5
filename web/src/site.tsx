// Contents of the server, and the link back to them from a run.
import { hrefOf } from './address';
import { isReport } from './answers';
import { json } from './api';

export interface Site { kind: 'run' | 'runs' | 'sweep' | 'machine' | 'requests' | 'step'; name: string }
// A report is one run.
export const fetchSite = (signal?: AbortSignal) => (isReport ? Promise.resolve<Site>({ kind: 'run', name: '' }) : json<Site>('/api/site', signal));

export function Back({ site }: { site: Site }) {
  if (site.kind !== 'runs' && site.kind !== 'sweep') return <span class="brand">kernbench</span>;
  return <a class="brand" href={hrefOf(null, '')}>‹ {site.kind === 'sweep' ? 'sweep' : 'runs'}</a>;
}

export function SiteHead({ site, what }: { site: Site; what: string }) {
  return (
    <>
      <a class="skip" href="#content">Skip to the content</a>
      <header><span class="brand">kernbench</span><span class="what"><strong>{site.name}</strong><span>{what}</span></span></header>
    </>
  );
}
