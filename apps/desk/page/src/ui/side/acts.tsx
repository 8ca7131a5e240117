import { timeText } from '../../state/duration.ts';
import { useLive } from '../../state/use-live.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';

interface ActsProps {
  readonly instance: string;
  readonly contact: string | undefined;
}

const shownMax = 100;

/** What operators did in one conversation. */
export function Acts({ instance, contact }: ActsProps) {
  const { client, live } = useDesk();
  const { value, error, reload } = useLive(
    live,
    `acts ${instance}`,
    async (signal) => {
      const acts = await client.acts({ contact }, signal);
      return acts.filter((act) => act.instance === instance).slice(0, shownMax);
    },
    { instance },
  );
  const { acts, program } = wording.activity;
  if (error !== undefined) return <Problem error={error} onRetry={reload} />;
  if (value?.length === 0) return <p className="muted">{wording.side.noActs}</p>;
  return (
    <ol className="trail">
      {value?.map(({ at, by, act, option, text }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- Acts have no ids, and one person may do two at once.
        <li key={`${at} ${index}`}>
          <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
          <span>
            <strong>{by ?? program}</strong> {acts[act] ?? act} {option} {text}
          </span>
        </li>
      ))}
    </ol>
  );
}
