import type { InstanceView } from 'dramaturg/browser';
import { inWords } from './in-words.ts';

interface InstanceListProps {
  readonly instances: readonly InstanceView[];
  readonly now: number;
  readonly shown: string | undefined;
  readonly onShow: (id: string) => void;
  readonly onPause: (id: string) => void;
  readonly onResume: (id: string) => void;
  readonly onCancel: (id: string) => void;
}

/** The instances of a host, in the order in which they were started. */
export function InstanceList(props: InstanceListProps) {
  const { instances, now, shown, onShow, onPause, onResume, onCancel } = props;
  return (
    <ul className="wb-instances" aria-label="Instances">
      {instances.map(({ id, state, address, dueAt, ended, holdsContact }) => (
        <li key={id} data-shown={id === shown || undefined} data-state={state}>
          <button type="button" aria-pressed={id === shown} onClick={() => onShow(id)}>
            <strong>{id}</strong>
            <span>{state}</span>
            <small>
              with {address ?? 'nobody'}
              {!ended && (holdsContact ? ', holds the contact' : ', waits in the queue')}
              {dueAt !== undefined && `, reminder in ${inWords(dueAt - now)}`}
            </small>
          </button>
          {!ended && (
            <div className="wb-buttons">
              {state === 'PAUSED' ? (
                <button type="button" onClick={() => onResume(id)}>
                  Resume
                </button>
              ) : (
                <button type="button" onClick={() => onPause(id)}>
                  Pause
                </button>
              )}
              <button type="button" onClick={() => onCancel(id)}>
                Cancel
              </button>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
