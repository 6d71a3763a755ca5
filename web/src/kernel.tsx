// Kernel: the source of a kernel, with the time and the transfers of each line.
import type { Launch, Run } from './api';
import { launchName } from './api';
import { href } from './address';
import { useAnswer } from './hooks';
import { accountOf, fetchAccount, narrowed, sumsByLine, type Account } from './kernel_lines';
import { kernelHref, longestOf, type Chosen } from './kernel_parts';
import { Source } from './kernel_source';
import { Lines, Ranges, Tensors } from './kernel_tables';
import { longestLaunch } from './overview';
import { kernelSpan } from './resources';
import { Swatch } from './section';
import { count, duration, percent } from './time';
import { STATES } from './words';

const MOST_LAUNCHES = 500;

// Values of the choice: "launch 3", "kernel gemm".
function KernelChoice({ run, kernel, launch }: { run: Run; kernel: string; launch: Launch | undefined }) {
  const follow = (event: Event) => {
    const [what, ...name] = (event.target as HTMLSelectElement).value.split(' ');
    location.hash = href('kernel', { [what]: name.join(' ') });
  };
  const launches = run.has_operations ? run.launches.slice(0, MOST_LAUNCHES) : [];
  return (
    <label>Kernel{' '}
      <select value={launch ? `launch ${launch.id}` : `kernel ${kernel}`} onChange={follow}>
        {run.kernels.map((one) => (
          <>
            {(one.launches > 1 || !run.has_operations) && <option value={`kernel ${one.kernel}`}>{one.kernel}{one.launches > 1 && `, all ${count(one.launches)} launches`}</option>}
            {launches.filter((l) => l.kernel === one.kernel).map((l) => <option value={`launch ${l.id}`}>{launchName(l)}</option>)}
          </>
        ))}
      </select>
    </label>
  );
}

function Legend({ account, whole }: { account: Account; whole: number }) {
  const timeOf = (name: string): number => account.times.reduce((sum, one) => sum + (one.share === name ? one.ns : 0), 0);
  return (
    <p class="legend">
      {STATES.map((state) => ({ ...state, ns: timeOf(state.name) })).filter(({ ns }) => ns > 0).sort((a, b) => b.ns - a.ns)
        .map(({ label, colour, meaning, ns }) => <span title={meaning}><Swatch colour={colour} /> {label} {percent(ns / whole)}</span>)}
    </p>
  );
}

function Shown({ account, chosen, line }: { account: Account; chosen: Chosen; line: string }) {
  const inRange = narrowed(account, chosen.range), sums = sumsByLine(inRange);
  const longest = longestOf([...sums].filter(([key]) => key !== '').map(([, one]) => one));
  const used = new Set([...sums.keys()].map((key) => key.slice(0, key.lastIndexOf(':'))));
  const timeOf = (file: string): number => [...sums].reduce((sum, [key, { ns }]) => sum + (key.slice(0, key.lastIndexOf(':')) === file ? ns : 0), 0);
  const files = [...account.sources].filter(([file]) => used.has(file) || line.startsWith(`${file}:`)).sort((a, b) => timeOf(b[0]) - timeOf(a[0]));
  return (
    <div class="kernel">
      <div class="beside">
        <Tensors account={inRange} chosen={chosen} />
        <Ranges account={account} chosen={chosen} />
      </div>
      <div class="sources">
        {files.map(([file, text]) => <Source key={file} file={file} text={text} sums={sums} chosen={chosen} longest={longest} line={line} />)}
        <Lines account={inRange} chosen={chosen} title={files.length > 0 ? 'Without a line of the source' : 'By line'} isShown={({ file, line: number }) => number === 0 || !account.sources.has(file)} />
      </div>
    </div>
  );
}

export function KernelPage({ run, values }: { run: Run; values: URLSearchParams }) {
  const named = values.get('kernel');
  const asked = run.launches.find(({ id }) => String(id) === values.get('launch')) ?? longestLaunch(run);
  const launch = named === null && run.has_operations ? asked : undefined;
  const kernel = named ?? asked?.kernel ?? '';
  const query = !run.has_operations || kernel === '' ? '' : launch ? `launch=${launch.id}` : `kernel=${encodeURIComponent(kernel)}`;
  const answer = useAnswer(query, (signal) => fetchAccount(query, signal));
  const account = run.has_operations ? answer.value : accountOf(run, kernel);
  const whole = account ? account.times.reduce((sum, { ns }) => sum + ns, 0) : 0;
  const range = values.get('range') ?? '';
  const chosen: Chosen = { run, kernel, launch, span: kernelSpan(launch), range, whole: Math.max(whole, 1e-6) };
  return (
    <div aria-busy={run.has_operations && answer.key !== query}>
      <h1 class="unseen">Kernel</h1>
      <p class="tools">
        <KernelChoice run={run} kernel={kernel} launch={launch} />
        <span class="dim">{whole > 0 && `${duration(whole * 1e6)} in the kernel${launch?.breakdown?.pe ? ` on ${launch.breakdown.pe}, which ended last` : ', on the PEs that ended last'}`}</span>
        {range && <span>range {range} <a href={kernelHref(chosen, { range: '' })}>all of the kernel</a></span>}
      </p>
      {answer.failure && <p class="message bad" role="alert">{answer.failure}</p>}
      {account && account.times.length === 0 && account.uses.length === 0 && <p class="message">This run knows nothing about the lines of {kernel || 'kernels'}: it was made with --no-findings, or no PE ran it.</p>}
      {account && whole > 0 && <Legend account={account} whole={whole} />}
      {account && (whole > 0 || account.uses.length > 0) && <Shown account={account} chosen={chosen} line={values.get('line') ?? ''} />}
      {account && account.uses.length > 0 && <p class="hint">Time: where the thread of the kernel stood, on the PE that ended last; "held by" is the line that issued what it waited for. Bytes and waits: of all transfers and commands that a line issued, on all PEs; waits are sums, also where they overlap.</p>}
      {!run.has_operations && <p class="hint">The source, the launches and the operations of each line are known with --record DIR in place of --out DIR.</p>}
    </div>
  );
}
