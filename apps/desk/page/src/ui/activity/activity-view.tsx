import { useState } from 'react';
import type { Route } from '../../state/route.ts';
import { useLive } from '../../state/use-live.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';
import { useAct } from '../use-act.ts';
import { ViewHeader } from '../view-header.tsx';
import { ActTable } from './act-table.tsx';
import { downloadFile } from './download-file.ts';

interface ActivityViewProps {
  readonly go: (route: Route) => void;
  readonly onMenu: () => void;
}

const dayMs = 86_400_000;
const periods = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs, all: Infinity };
type Period = keyof typeof periods;

/** Acts that are shown at most. The export has all. */
const shownMax = 500;

/** What operators did, and its export. */
export function ActivityView({ go, onMenu }: ActivityViewProps) {
  const { client, live, me } = useDesk();
  const [by, setBy] = useState('');
  const [period, setPeriod] = useState<Period>('day');
  const filterNow = () => ({
    from: period === 'all' ? undefined : Date.now() - periods[period],
    by: by === '' ? undefined : by,
  });
  const { value, error, reload } = useLive(
    live,
    `acts ${by} ${period}`,
    (signal) => client.acts(filterNow(), signal),
    { pauseMs: 2_000 },
  );
  const { act, isRunning } = useAct();
  const words = wording.activity;
  const save = (format: 'csv' | 'json') =>
    void act(async () =>
      downloadFile(await client.exportActs(format, filterNow()), `${words.fileName}.${format}`),
    );
  const names = (value ?? []).flatMap((each) => (each.by === null ? [] : [each.by]));
  const operators = [...new Set([me.name, ...names, ...(by === '' ? [] : [by])])].toSorted();
  return (
    <section className="activity" aria-label={words.label}>
      <ViewHeader title={wording.rail.activity} onMenu={onMenu}>
        <label className="inline">
          {words.by}
          <select value={by} onChange={({ target }) => setBy(target.value)}>
            <option value="">{words.everybody}</option>
            {operators.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label className="inline">
          {words.period}
          <select value={period} onChange={({ target }) => setPeriod(target.value as Period)}>
            {Object.keys(periods).map((each) => (
              <option key={each} value={each}>
                {words.periods[each as Period]}
              </option>
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
      {value?.length === 0 && <p className="list-foot">{words.empty}</p>}
      {value && value.length > 0 && (
        <ActTable
          acts={value.slice(0, shownMax)}
          onOpen={(conversation) => go({ view: 'queue', filter: { queue: 'all' }, conversation })}
        />
      )}
      {value && value.length > shownMax && <p className="list-foot">{words.first(shownMax)}</p>}
    </section>
  );
}
