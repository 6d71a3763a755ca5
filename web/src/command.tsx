// A command line of kernbench: folded, with a button that copies it.
import { useRef, useState } from 'preact/hooks';

export function Command({ text, open = false }: { text: string; open?: boolean }) {
  const [state, setState] = useState(''), fold = useRef<HTMLDetailsElement>(null), code = useRef<HTMLElement>(null);
  // Where the browser forbids the clipboard, the text is selected.
  const select = () => {
    fold.current!.open = true;
    getSelection()?.selectAllChildren(code.current!);
    setState('press Ctrl-C');
  };
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      select();
    }
  };
  return (
    <div class="commandline">
      <button type="button" class="copy" onClick={copy} title={text}>copy the command</button>
      <span class="dim" role="status">{state}</span>
      <details ref={fold} open={open}><summary>show it</summary><code class="command" ref={code}>{text}</code></details>
    </div>
  );
}
