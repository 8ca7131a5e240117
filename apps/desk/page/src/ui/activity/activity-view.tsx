import { useState } from 'react';
import type { Act } from '../../service/protocol.ts';
import { timeText } from '../../state/duration.ts';
import type { Route } from '../../state/route.ts';
import { useLive } from '../../state/use-live.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';
import { useAct } from '../use-act.ts';
import { ViewHeader } from '../view-header.tsx';

interface ActivityViewProps {
  readonly go: (route: Route) => void;
  readonly onMenu: () => void;
}

const dayMs = 86_400_000;
const periods = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs, all: Infinity };
type Period = keyof typeof periods;

/** Maximum number of acts that are shown. The export has all acts. */
const shownMax = 500;

/** The acts of operators, and their export. */
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

/** Milliseconds within which a browser begins to save. */
const savingMs = 10_000;

/** Has the browser save a file. A link to the service could not send the token. */
function downloadFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), savingMs);
}

interface ActTableProps {
  readonly acts: readonly Act[];
  readonly onOpen: (conversation: string) => void;
}

/** Acts in a table, which scrolls. */
function ActTable({ acts, onOpen }: ActTableProps) {
  const words = wording.activity;
  const { at: when, by: who, act: what, contact: whom, detail } = words.columns;
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={words.table}>
      <table>
        <thead>
          <tr>
            {[when, who, what, whom, detail].map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {acts.map(({ at, by, act, instance, contact, option, text }, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- Acts have no ids, and one person may do two at the same time.
            <tr key={`${at} ${index}`}>
              <td>
                <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
              </td>
              <td>{by ?? words.program}</td>
              <td>{words.acts[act] ?? act}</td>
              <td>
                <button type="button" className="link" onClick={() => onOpen(instance)}>
                  {contact ?? instance}
                </button>
              </td>
              <td className="detail">{[option, text].filter(Boolean).join(': ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
