import type { DefinitionText } from '../../../src/server/exhibit.ts';
import type { Failure } from '../data/failure.ts';
import type { View } from '../use-view.ts';
import { sourceOf } from './source-text.tsx';

interface FailureBannerProps {
  readonly failure: Failure;
  readonly view: View;
  readonly sources: readonly DefinitionText[];
  readonly onShowSource: () => void;
}

/** Shows what has failed, why, and the line of the definition. */
export function FailureBanner({ failure, view, sources, onShowSource }: FailureBannerProps) {
  const { sessionId, state, error, cause, origin } = failure;
  const source = sourceOf(view.actors.get(sessionId), view.actors, sources);
  const line = origin && source?.lines[JSON.stringify(origin)]?.[0];
  return (
    <div className="failure" role="alert">
      <p>
        <strong>{state === undefined ? 'Failed' : `Failed in ${state}`}</strong>
        <span>{error}</span>
        {cause !== undefined && <q>{cause}</q>}
      </p>
      {line !== undefined && (
        <button
          type="button"
          onClick={() => {
            view.pick(sessionId);
            onShowSource();
          }}
        >
          {source!.name}, line {line}
        </button>
      )}
    </div>
  );
}
