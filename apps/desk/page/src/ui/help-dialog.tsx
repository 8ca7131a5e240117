import type { Ref } from 'react';
import { wording } from '../wording.ts';

/** The keys of the page. */
export function HelpDialog({ ref }: { readonly ref: Ref<HTMLDialogElement> }) {
  const { title, keys, close, off } = wording.help;
  return (
    <dialog className="dialog" ref={ref} aria-labelledby="help-title">
      <h2 id="help-title">{title}</h2>
      <dl className="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p className="muted">{off}</p>
      <form method="dialog">
        <button type="submit">{close}</button>
      </form>
    </dialog>
  );
}
