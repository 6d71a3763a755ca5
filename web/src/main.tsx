import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { fetchComparison, fetchNodes, fetchRun, fetchRows, fetchState, fetchWords, type Comparison, type Rows, type Run, type State } from './api';
import { forgetToken, href, useAddress, type Address } from './address';
import { Collective } from './collective';
import { Compare } from './compare';
import { useAnswer } from './hooks';
import { KernelPage } from './kernel';
import { MachinePage } from './machine';
import { MachineAlone } from './machine_alone';
import { readNodes } from './nodes';
import { Overview } from './overview';
import { Roofline } from './roofline';
import { RequestsPage } from './requests';
import { RunsPage } from './runs';
import { Back, fetchSite, type Site } from './site';
import { useSizes } from './sizes';
import { StepPage } from './step';
import { SweepPage } from './sweep';
import { Tables } from './tables';
import { Timeline } from './timeline';
import { Why } from './why';
import { duration } from './time';
import { readWords } from './words';

const PAGES: [string, string][] = [['overview', 'Overview'], ['kernel', 'Kernel'], ['why', 'Why'], ['machine', 'Machine'], ['roofline', 'Roofline'], ['timeline', 'Timeline'], ['tables', 'Tables']];

function useRun(): { run: Run | null; comparison: Comparison | null; rows: Rows | null; state: State | null; failure: string } {
  const [run, setRun] = useState<Run | null>(null);
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const [rows, setRows] = useState<Rows | null>(null);
  const [state, setState] = useState<State | null>(null);
  const [failure, setFailure] = useState('');
  useEffect(() => {
    let ended = false;
    const failed = (error: unknown) => setFailure(error instanceof Error ? error.message : String(error));
    // What is asked after this run was left would be asked of the place that is shown then.
    const look = async () => {
      if (ended) return;
      const now = await fetchState();
      setState(now);
      if (!now.ready && !ended) setTimeout(() => look().catch(failed), 150);
    };
    Promise.all([fetchRun(), fetchComparison(), fetchNodes(), fetchWords()]).then(([found, compared, nodes, words]) => {
      if (ended) return undefined;
      readNodes(nodes);
      readWords(words);
      setRun(found);
      setComparison(compared);
      document.title = `${found.bench.name} · kernbench`;
      if (!found.has_operations) return undefined;
      return Promise.all([fetchRows().then(setRows), look()]);
    }).catch(failed);
    return () => { ended = true; };
  }, []);
  return { run, comparison, rows, state, failure };
}

function Verdict({ run }: { run: Run }) {
  return !run.ok
    ? <span class="verdict bad">failed: {run.error?.message ?? 'see the warnings'}</span>
    : <span class="verdict good">ok</span>;
}

function RunPages({ site, address }: { site: Site; address: Address }) {
  const { run, comparison: compared, rows, state, failure } = useRun();
  const comparison = compared && address.run ? { ...compared, before: address.run.against, after: address.run.name } : compared;
  if (failure) return <main class="page"><p><Back site={site} /></p><p class="message bad" role="alert">{failure}</p></main>;
  if (!run) return <main class="page"><p class="message">Reading the run …</p></main>;
  const hasMessages = address.page === 'collective' || rows?.operations.some(({ name }) => name === 'ipcq_send');
  const pages: [string, string][] = [...PAGES.slice(0, 5), ...(hasMessages ? [['collective', 'Collective'] as [string, string]] : []), ...PAGES.slice(5),
    ...(comparison ? [['compare', 'Compare'] as [string, string]] : [])];
  const page = pages.some(([name]) => name === address.page) ? address.page : 'overview';
  return (
    <>
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <Back site={site} />
        <nav aria-label="Pages">
          {pages.map(([name, label]) => (
            <a href={href(name)} aria-current={page === name ? 'page' : undefined}>{label}</a>
          ))}
        </nav>
        <span class="what">
          <strong>{run.bench.name}</strong>
          <span>{run.topology.file}</span>
          <span>{duration(run.sim_time_ns * 1e6)} simulated</span>
          <Verdict run={run} />
        </span>
      </header>
      <main id="content" class={page === 'timeline' || page === 'machine' ? 'page full' : page === 'kernel' ? 'page wide' : 'page'} tabIndex={-1}>
        {page === 'overview' && <Overview run={run} selected={address.values.get('launch')} />}
        {page === 'kernel' && <KernelPage run={run} values={address.values} />}
        {page === 'why' && <Why run={run} rows={rows} state={state} values={address.values} />}
        {page === 'machine' && <MachinePage run={run} values={address.values} />}
        {page === 'roofline' && <Roofline run={run} rows={rows} values={address.values} />}
        {page === 'collective' && <Collective run={run} values={address.values} />}
        {page === 'timeline' && <Timeline run={run} rows={rows} state={state} values={address.values} />}
        {page === 'compare' && comparison && <Compare run={run} comparison={comparison} values={address.values} />}
        {page === 'tables' && <Tables run={run} values={address.values} />}
      </main>
    </>
  );
}

// Contents of the server: one run, many runs, a sweep, requests, a step or a machine.
function App() {
  useSizes();
  const address = useAddress();
  const site = useAnswer('site', fetchSite);
  if (site.failure) return <main class="page"><p class="message bad" role="alert">{site.failure}</p></main>;
  if (!site.value) return <main class="page"><p class="message">Reading …</p></main>;
  const { kind } = site.value;
  if (kind === 'machine') return <MachineAlone site={site.value} values={address.values} />;
  if (kind === 'requests') return <RequestsPage site={site.value} values={address.values} />;
  if (kind === 'step') return <StepPage site={site.value} values={address.values} />;
  if (kind === 'runs' && !address.run) return <RunsPage site={site.value} values={address.values} />;
  if (kind === 'sweep' && !address.run) return <SweepPage site={site.value} values={address.values} />;
  return <RunPages site={site.value} address={address} key={`${address.run?.name} ${address.run?.against}`} />;
}

forgetToken();
render(<App />, document.getElementById('app')!);
