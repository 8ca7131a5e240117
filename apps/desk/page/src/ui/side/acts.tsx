import { timeText } from '../../state/duration.ts';
import { useLive } from '../../state/use-live.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';

const actsMax = 100;

/** What operators did in one conversation. */
export function Acts({ instance }: { readonly instance: string }) {
  const { client, live } = useDesk();
  const { value, error, reload } = useLive(
    live,
    `acts ${instance}`,
    (signal) => client.acts({ instance, limit: actsMax }, signal),
    { instance },
  );
  if (error !== undefined) return <Problem error={error} onRetry={reload} />;
  if (value?.items.length === 0) return <p className="muted">{wording.side.noActs}</p>;
  return (
    <ol className="trail">
      {value?.items.map(({ id, at, by, act, detail }) => (
        <li key={id}>
          <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
          <span>
            <strong>{by}</strong> {act} {detail}
          </span>
        </li>
      ))}
    </ol>
  );
}
