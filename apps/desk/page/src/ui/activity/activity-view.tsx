import { useState } from 'react';
import type { Route } from '../../state/route.ts';
import { timeText } from '../../state/duration.ts';
import { useLive } from '../../state/use-live.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';
import { useAct } from '../use-act.ts';
import { ViewHeader } from '../view-header.tsx';
import { downloadFile } from './download-file.ts';

interface ActivityViewProps {
  readonly go: (route: Route) => void;
  readonly onMenu: () => void;
}

/** Acts that are shown at first and that "earlier" adds; acts that are shown at most. The export has all. */
const [actsShown, actsMax] = [100, 1_000];

/** What operators did, and its export. */
export function ActivityView({ go, onMenu }: ActivityViewProps) {
  const { client, live, me } = useDesk();
  const [by, setBy] = useState('');
  const [limit, setLimit] = useState(actsShown);
  const filter = { limit, ...(by !== '' && { by }) };
  const { value, error, reload } = useLive(
    live,
    `acts ${JSON.stringify(filter)}`,
    (signal) => client.acts(filter, signal),
    { pauseMs: 1_000 },
  );
  const { act, isRunning } = useAct();
  const words = wording.activity;
  const save = (format: 'csv' | 'json') =>
    void act(async () =>
      downloadFile(await client.exportActs(format, filter), `${words.fileName}.${format}`),
    );
  const operators = [...new Set([me.name, ...(value?.items ?? []).map((each) => each.by)])];
  return (
    <section className="activity" aria-label={words.label}>
      <ViewHeader title={words.label} onMenu={onMenu}>
        <label className="inline">
          {words.by}
          <select value={by} onChange={({ target }) => setBy(target.value)}>
            <option value="">{words.everybody}</option>
            {operators.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <button type="button" disabled={isRunning} onClick={() => save('csv')}>
          {words.exportCsv}
        </button>
        <button type="button" disabled={isRunning} onClick={() => save('json')}>
          {words.exportJson}
        </button>
      </ViewHeader>
      {error !== undefined && <Problem error={error} onRetry={reload} />}
      {value?.items.length === 0 && <p className="list-foot">{words.empty}</p>}
      <div className="table-scroll" tabIndex={0} role="region" aria-label={words.label}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.columns.at}</th>
              <th scope="col">{words.columns.by}</th>
              <th scope="col">{words.columns.act}</th>
              <th scope="col">{words.columns.contact}</th>
              <th scope="col">{words.columns.detail}</th>
            </tr>
          </thead>
          <tbody>
            {value?.items.map(({ id, at, by: who, act: what, instance, contact, detail }) => (
              <tr key={id}>
                <td>
                  <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
                </td>
                <td>{who}</td>
                <td>{what}</td>
                <td>
                  <button
                    type="button"
                    className="link"
                    onClick={() =>
                      go({ view: 'queue', filter: { queue: 'all' }, conversation: instance })
                    }
                  >
                    {contact ?? instance}
                  </button>
                </td>
                <td className="detail">{detail}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {value?.next !== undefined && limit < actsMax && (
          <button type="button" onClick={() => setLimit(limit + actsShown)}>
            {words.more}
          </button>
        )}
      </div>
    </section>
  );
}
